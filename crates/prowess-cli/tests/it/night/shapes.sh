# Builds a repository of one shape in the working directory, which is empty: `bash shapes.sh SHAPE`. Without an
# argument, it prints the shapes.
set -euo pipefail
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com
export GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com

# skill DIRECTORY [NAME [BODY]]
skill() {
    mkdir -p "$1"
    printf -- '---\nname: %s\ndescription: Helps.\n---\n%s\n' "${2:-${1##*/}}" "${3:-Do it.}" >"$1/SKILL.md"
}
submodule() {
    git update-index --add --cacheinfo "160000,$(printf %040d 1),$1"
}

shape_links_at_the_root() {
    skill skills/a; skill skills/b
    echo rules >AGENTS.md; ln -s AGENTS.md CLAUDE.md; ln -s /etc/hostname host; ln -s gone nothing
    mkdir .claude; ln -s ../skills .claude/skills
}
shape_links_inward() {
    skill skills/a; skill skills/b; mkdir docs
    echo rules >AGENTS.md; echo one >docs/one.md
    ln -s ../../AGENTS.md skills/a/rules.md; ln -s ../../docs skills/a/docs; ln -s ../b skills/a/other
}
shape_links_outward() {
    skill skills/a; skill skills/b
    ln -s /etc/passwd skills/a/users; ln -s ../../../../../../../../etc skills/a/etc; ln -s ../../.. skills/a/up
    ln -s . skills/a/self; ln -s loop skills/a/loop
}
shape_linked_skill_files() {
    skill skills/a; mkdir skills/b skills/c shared
    mv skills/a/SKILL.md shared/a.md
    ln -s ../../shared/a.md skills/a/SKILL.md; ln -s /etc/passwd skills/b/SKILL.md; ln -s ../../shared skills/c/SKILL.md
}
shape_linked_skill_directories() {
    skill packs/a; skill packs/b; mkdir -p .agents/skills
    ln -s ../../packs/a .agents/skills/a; ln -s ../../../elsewhere .agents/skills/e
}
shape_submodule_beside() { skill skills/a; skill skills/b; index=vendor/tools; }
shape_submodule_inside() { skill skills/a; skill skills/b; index=skills/b/vendor; }
shape_submodules_only() { echo text >README.md; index=skills/a; }
shape_one_name_twice() { skill one/notes; skill two/notes notes Other.; skill skills/a; }
shape_one_copy_twice() { skill .claude/skills/a; skill skills/a; skill plugins/p/skills/a; }
shape_one_invalid_of_many() {
    for name in a b c d e f g h; do skill "skills/$name"; done
    mkdir skills/none skills/open skills/nameless
    echo 'No frontmatter.' >skills/none/SKILL.md
    printf -- '---\nname: open\ndescription: D.\n' >skills/open/SKILL.md
    printf -- '---\nname: [\n---\n' >skills/nameless/SKILL.md
}
shape_blanks_and_slashes() {
    skill 'my skills/CI CD' 'CI/CD helper'; skill 'skills/Über uns' 'Über uns'; skill '技能/读' '读'
    echo text >'skills/Über uns/a file.md'
}
shape_names_of_windows() {
    skill skills/a; skill skills/b; skill skills/c
    echo text >'skills/a/what?.md'; echo text >skills/b/aux.md; echo text >'what?.md'; echo text >$'skills/c/\xff'
}
shape_case_doubled() {
    skill skills/a; skill skills/notes; skill skills/Notes Notes Other.
    echo one >skills/a/Guide.md; echo two >skills/a/guide.md; echo one >README.md; echo two >readme.md
}
shape_nested() { skill skills/a; skill skills/a/more/inner inner; skill skills/b; }
shape_root_and_below() { skill . root; skill skills/a; }
shape_crlf() { skill skills/a; sed -i 's/$/\r/' skills/a/SKILL.md; printf '\r\n' >skills/a/lines.txt; }
shape_hidden_directories() { skill .agents/skills/a; skill .github/skills/b; skill node_modules/p/c; skill vendor/d; }
shape_no_skill() { echo text >README.md; mkdir skills; echo text >skills/skill.md.txt; }
shape_lower_case_file() { skill skills/a; mv skills/a/SKILL.md skills/a/skill.md; skill skills/b; mv skills/b/SKILL.md skills/b/Skill.md; skill skills/c; }
shape_clone_inside() { skill skills/a; skill skills/b; git init -q skills/b; mkdir -p skills/a/.git; echo x >skills/a/.git/config; exclude=1; }
shape_special_files() { skill skills/a; skill skills/b; mkfifo skills/b/pipe pipe; }
shape_empty() { true; }
shape_large_beside() { skill skills/a; skill skills/b; head -c 80M /dev/urandom >model.bin; }
shape_large_inside() { skill skills/a; skill skills/b; head -c 66M /dev/urandom >skills/b/model.bin; }

if [ $# = 0 ]; then
    compgen -A function shape_ | sed s/shape_//
    exit
fi
git init -q -b main
git config core.bigFileThreshold 1m
git config core.compression 0
git config uploadpack.allowFilter true
"shape_$1"
[ -n "${exclude:-}" ] || git add --all
[ -z "${exclude:-}" ] || git add skills/a/SKILL.md
[ -z "${index:-}" ] || submodule "$index"
[ "$1" = empty ] || git commit -qm one
