//! Faces: for each set of surfaces, the text and the lists of skills that a model sees.

use std::sync::{Arc, Mutex, PoisonError};

use prowess_core::{Catalog, TokenCounter, ToolCall, ToolDefinition, character_count};
use prowess_prompt::{
    Block, BlockPolicy, CatalogFormat, CatalogPlace, Composer, ComposerInput, DescribedSkills,
    Prompt, PromptPolicy, tool_description, unlisted_description,
};
use prowess_tools::{SkillTools, Surface, ToolNaming, ToolPolicy, Toolbox};

use crate::Policies;

/// What the description of `get_skill` is about, and in which words where scripts can be run.
const ONE_SKILL: &str = "an agent skill.";
const SKILL_WITH_SCRIPTS: &str = "an agent skill including instructions and available scripts.";

/// One set of surfaces, as a model sees it.
///
/// The first surface of the policy that loads skills has their list where and as the policy of the
/// prompt says. Each further one has it in the description of its own tool, in the format of its
/// document; for a model that sees no other, it is where its document has it.
pub(crate) struct Face {
    tools: ToolPolicy,
    /// Composes the text for the instructions.
    pub(crate) composer: Composer,
    lists: Vec<List>,
    /// The limit of a description, in characters.
    most: Option<usize>,
}

/// The list of skills in the description of a tool.
struct List {
    /// The canonical name of the tool.
    tool: &'static str,
    /// `None` if it is the list of the text's composer.
    composer: Option<Composer>,
}

/// The parts that all faces of a runtime share.
#[derive(Clone, Copy)]
pub(crate) struct FaceInput<'a> {
    pub(crate) policies: &'a Policies,
    pub(crate) toolbox: &'a Toolbox,
    pub(crate) counter: &'a Arc<dyn TokenCounter>,
    /// The first catalog.
    pub(crate) start: &'a Arc<Catalog>,
}

impl Face {
    fn new(input: FaceInput<'_>, surfaces: Vec<Surface>) -> Self {
        let FaceInput { policies, toolbox, counter, start } = input;
        let tools = ToolPolicy { surfaces, ..policies.tools.clone() };
        let own = tools.load_surface();
        let is_shown = policies.prompt.catalog_place != CatalogPlace::ToolOnly;
        let mut policy = policies.prompt.clone();
        if let Some(surface) = own.filter(|_| is_shown) {
            choose_document(&mut policy, surface, &tools, &policies.tools);
        }
        let described = policies.prompt.described_skills;
        policy.described_skills = described.or(own.and_then(described_by));
        let policy = prompt_policy(&policy, &tools, toolbox);
        let composer = |policy: PromptPolicy| {
            let composer = Composer::new(policy, policies.delivery, Arc::clone(counter));
            composer.starting_with(Arc::clone(start))
        };
        let list = |&surface: &Surface| {
            let tool = surface.load_tool()?;
            if Some(surface) == own {
                let is_described = policy.catalog_place == CatalogPlace::ToolDescription;
                return is_described.then_some(List { tool, composer: None });
            }
            let format = document_of(surface).catalog_format;
            let most = policies.prompt.max_characters;
            let listing = PromptPolicy {
                catalog_place: CatalogPlace::ToolDescription,
                catalog_format: format,
                max_characters: most.map(|most| room(most, tool, format, toolbox)),
                described_skills: described.or(described_by(surface)),
                load_tool: toolbox.naming().spell(tool),
                ..policy.clone()
            };
            is_shown.then(|| List { tool, composer: Some(composer(listing)) })
        };
        let mut lists: Vec<List> = Vec::new();
        for list in tools.surfaces.iter().filter_map(list) {
            if lists.iter().all(|known| known.tool != list.tool) {
                lists.push(list);
            }
        }
        let most = policies.prompt.max_characters;
        Self { composer: composer(policy), tools, lists, most }
    }

    /// Returns whether the description of a tool lists the skills.
    pub(crate) fn has_lists(&self) -> bool {
        !self.lists.is_empty()
    }

    /// Returns the tools whose descriptions are where the catalog is: without a skill, they say so.
    pub(crate) fn described_tools(&self) -> Vec<&'static str> {
        let own = self.lists.iter().filter(|list| list.composer.is_none());
        own.map(|list| list.tool).collect()
    }

    /// Returns whether a tool is one of these surfaces, or of no surface.
    fn has(&self, tool: &str) -> bool {
        !SkillTools::NAMES.contains(&tool) || self.tools.has_tool(tool)
    }

    /// Returns whether a model that sees these surfaces alone may call a tool: that for files, too,
    /// which a result names that is cut to what the client keeps.
    pub(crate) fn can_call(&self, tool: &str) -> bool {
        tool == SkillTools::READERS[0] || self.has(tool)
    }

    /// Returns a call that loads a skill in addition to the active ones, by a tool of this face.
    pub(crate) fn load_call(&self, id: &str) -> Option<ToolCall> {
        self.tools.load_call(id)
    }

    /// Leaves out the tools of other surfaces, and writes the skills into the descriptions of the
    /// others. `prompt` is that of this face.
    pub(crate) fn present(
        &self,
        tools: &mut Vec<ToolDefinition>,
        toolbox: &Toolbox,
        input: ComposerInput<'_>,
        prompt: Option<&Prompt>,
    ) {
        tools.retain(|tool| self.has(toolbox.canonical_name(&tool.name).unwrap_or(&tool.name)));
        let has_shell = self.tools.surfaces.contains(&Surface::Shell);
        let run = toolbox.naming().spell(SkillTools::RUN);
        let naming = ToolNaming::of(toolbox.naming().names, &self.tools.surfaces);
        for tool in tools.iter_mut() {
            let name = toolbox.canonical_name(&tool.name).unwrap_or_default();
            if self.lists.iter().all(|list| list.tool != name) {
                tool.description = unlisted_description(name, &tool.description);
            }
            if tool.name == run {
                tool.name = naming.spell(SkillTools::RUN);
            }
        }
        // Skills are mounted source by source. The order of a directory's entries is that of a file
        // system, and decides nothing.
        let mount_order = |id: &str| input.catalog.get(id).map(|record| record.index().source());
        for List { tool: name, composer } in &self.lists {
            let spelled = toolbox.naming().spell(name);
            let Some(tool) = tools.iter_mut().find(|tool| tool.name == spelled) else { continue };
            let own = composer.as_ref().map(|composer| composer.compose(&input));
            let prompt = own.as_deref().or(prompt);
            let policy = composer.as_ref().unwrap_or(&self.composer).policy();
            let listing = prompt.and_then(|prompt| match policy.described_skills {
                Some(DescribedSkills::AtStart) => prompt.listing_by(mount_order),
                _ => prompt.listing.as_deref().map(str::to_owned),
            });
            let listing = listing.unwrap_or_default();
            let format = policy.catalog_format;
            tool.description =
                tool_description(name, &tool.description, &listing, format, self.most);
            if *name == "get_skill" && has_shell && !listing.is_empty() {
                tool.description = tool.description.replacen(ONE_SKILL, SKILL_WITH_SCRIPTS, 1);
            }
        }
    }
}

/// The faces of a runtime.
pub(crate) struct Faces {
    /// The one of all surfaces.
    pub(crate) whole: Arc<Face>,
    /// Those of some surfaces, by their names, as clients have asked for them.
    others: Mutex<Vec<(Vec<Surface>, Arc<Face>)>>,
    start: Option<Arc<Catalog>>,
}

impl Faces {
    pub(crate) fn new(input: FaceInput<'_>) -> Self {
        let Policies { tools, prompt, .. } = input.policies;
        let keeps_start = tools.surfaces.contains(&Surface::GetSkill);
        let keeps_start = keeps_start || prompt.described_skills.is_some();
        Self {
            whole: Arc::new(Face::new(input, tools.surfaces.clone())),
            others: Mutex::default(),
            start: keeps_start.then(|| Arc::clone(input.start)),
        }
    }

    /// Returns the face of these surfaces, of those that the policy has; that of all if it has
    /// none of them.
    pub(crate) fn of(&self, input: FaceInput<'_>, surfaces: &[Surface]) -> Arc<Face> {
        let all = &input.policies.tools.surfaces;
        let chosen: Vec<_> = all.iter().filter(|it| surfaces.contains(it)).copied().collect();
        if chosen.is_empty() || chosen == *all {
            return Arc::clone(&self.whole);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, face)) = others.iter().find(|(known, _)| *known == chosen) {
            return Arc::clone(face);
        }
        let start = self.start.as_ref().unwrap_or(input.start);
        let face = Arc::new(Face::new(FaceInput { start, ..input }, chosen.clone()));
        others.push((chosen, Arc::clone(&face)));
        face
    }
}

/// Sets what a model with these tools is shown of the document of the surface that loads for it.
/// `all` are the tools of every model.
fn choose_document(
    policy: &mut PromptPolicy,
    surface: Surface,
    tools: &ToolPolicy,
    all: &ToolPolicy,
) {
    let document = document_of(surface);
    let is_first = all.load_surface() == Some(surface);
    // A text that the operator has chosen is for each model, that of another surface's document is
    // not.
    let is_absent = |it: &&Surface| it.load_tool().is_some() && !tools.surfaces.contains(it);
    let mut absent = all.surfaces.iter().filter(is_absent);
    let is_foreign = absent.any(|other| document_of(*other).blocks == policy.blocks);
    if is_foreign || (!is_first && policy.blocks == BlockPolicy::default()) {
        policy.blocks = match surface {
            // The description of this tool says all that a client of another host needs.
            Surface::Skill => BlockPolicy { any: Vec::new(), ..BlockPolicy::default() },
            _ => document.blocks,
        };
    }
    if !is_first {
        policy.catalog_format = document.catalog_format;
        policy.catalog_place = document.catalog_place;
    }
}

/// Returns which skills the document of a surface lists, if not those of each turn: those that were
/// there when the tool was registered.
fn described_by(surface: Surface) -> Option<DescribedSkills> {
    (surface == Surface::GetSkill).then_some(DescribedSkills::AtStart)
}

/// Returns the policy of the prompt that the document of a surface has, as its preset.
fn document_of(surface: Surface) -> PromptPolicy {
    use Block::{
        CheckFirst, Navigation, PathResolution, PathRules, ScriptExecution, ToolCallingExamples,
    };
    use CatalogFormat::{Bullets, DashLines, QuotedLines, XmlElements};
    use CatalogPlace::{ContextBlock, ToolDescription};
    let any = |any| BlockPolicy { any, ..BlockPolicy::default() };
    let (catalog_place, catalog_format, blocks) = match surface {
        Surface::Skill => {
            let claude = Some(vec![Navigation, PathRules, ScriptExecution]);
            let others = vec![Navigation, PathResolution, ScriptExecution, ToolCallingExamples];
            (ToolDescription, QuotedLines, BlockPolicy { claude, ..any(others) })
        }
        Surface::GetSkill => (ToolDescription, DashLines, any(Vec::new())),
        Surface::ReadSkill => (ContextBlock, Bullets, any(vec![CheckFirst])),
        _ => (ToolDescription, XmlElements, BlockPolicy::default()),
    };
    PromptPolicy { catalog_place, catalog_format, blocks, ..PromptPolicy::default() }
}

/// Returns the policy of the prompt, with the names of the tools as the model sees them. Names that
/// the policy does not change are those of the surfaces. Where none loads skills, the rule is that
/// the model reads their files itself.
fn prompt_policy(prompt: &PromptPolicy, tools: &ToolPolicy, toolbox: &Toolbox) -> PromptPolicy {
    let naming = toolbox.naming();
    let default = PromptPolicy::default();
    let is_named = prompt.load_tool != default.load_tool;
    let load_tool = tools.load_tool().filter(|_| !is_named);
    let blocks = prompt.blocks.clone();
    let is_loading = is_named || load_tool.is_some();
    let blocks = if is_loading { blocks } else { blocks.reading_files() };
    let named = |named: &Option<String>, default: &Option<String>, own: Option<&str>| {
        let name = if named == default { own } else { named.as_deref() };
        name.map(|name| naming.spell(name))
    };
    let is_described = prompt.catalog_place == CatalogPlace::ToolDescription;
    let described = tools.load_tool().filter(|_| is_described);
    let most = prompt.max_characters;
    let room_of = |name| most.map(|most| room(most, name, prompt.catalog_format, toolbox));
    PromptPolicy {
        load_tool: naming.spell(load_tool.unwrap_or(&prompt.load_tool)),
        search_tool: named(&prompt.search_tool, &default.search_tool, tools.search_tool()),
        list_tool: named(&prompt.list_tool, &default.list_tool, tools.list_tool()),
        blocks,
        max_characters: described.map_or(most, room_of),
        ..prompt.clone()
    }
}

/// Returns the part of a limit that the description of a tool with the catalog leaves to the
/// catalog.
fn room(most: usize, tool: &str, format: CatalogFormat, toolbox: &Toolbox) -> usize {
    let spelled = toolbox.naming().spell(tool);
    let definitions = toolbox.definitions_with(&Catalog::empty(), &[tool]);
    let own = definitions.into_iter().find(|tool| tool.name == spelled);
    let own = own.map(|tool| tool.description).unwrap_or_default();
    let around = tool_description(tool, &own, "-", format, Some(most));
    most.saturating_sub(character_count(&around))
}
