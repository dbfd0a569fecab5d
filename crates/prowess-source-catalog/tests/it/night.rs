//! A catalog of very many skills: the numbers that the guide has, and the memory of a host.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use prowess_core::{
    Cancel, Catalog, CatalogBuilder, CatalogSource as Scanned, Layer, Listing, PackagePath,
    PreviousScan, ReadLimit, RecordIndex, RecordSetBuilder, ResourcePath, ScanSink, ScanSummary,
    SkillSource, SourceError, Trust,
};
use prowess_source_catalog::{CatalogFile, write_catalog};
use prowess_testkit::Random;

/// The file that the process for building writes.
const BUILD: &str = "PROWESS_TEST_BUILD";

/// The number of different words, and by how much the most frequent ones are less frequent than by
/// Zipf's law: those are stopwords, which are not searched.
const WORDS: f64 = 200_000.0;
const SHIFT: f64 = 20.0;

fn skills() -> usize {
    std::env::var("PROWESS_TEST_SKILLS").map_or(5_000, |count| count.parse().unwrap())
}

/// Returns a word as frequent as it would be in texts.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is a rank")]
fn word(random: &mut Random) -> String {
    let uniform = f64::from(u32::try_from(random.below(1 << 30)).unwrap()) / f64::from(1 << 30);
    let rank = SHIFT * (uniform * (1.0 + WORDS / SHIFT).ln()).exp() - SHIFT;
    let mut number = rank as usize + 1;
    let mut word = String::new();
    while number > 0 {
        word.push_str(["ba", "ke", "li", "mo", "nu", "ra", "se", "ti", "vo", "zu"][number % 10]);
        number /= 10;
    }
    word
}

fn words(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| word(random)).collect::<Vec<_>>().join(" ")
}

fn name(number: usize) -> String {
    let mut random = Random::new(11, number as u64);
    format!("{}-{}-{number:06}", word(&mut random), word(&mut random))
}

fn description(number: usize) -> String {
    let mut random = Random::new(12, number as u64);
    let count = 20 + random.below(40);
    words(&mut random, count)
}

/// Skills that are made when they are read.
struct Generated;

impl SkillSource for Generated {
    fn name(&self) -> &str {
        "generated"
    }

    fn root(&self) -> &str {
        "memory://generated"
    }

    fn scan(
        &self,
        _: &PreviousScan<'_>,
        _: &mut dyn ScanSink,
        _: &Cancel,
    ) -> Result<ScanSummary, SourceError> {
        Ok(ScanSummary::default())
    }

    fn list(&self, _: &PackagePath, _: usize) -> Result<Listing, SourceError> {
        Ok(Listing { resources: Vec::new(), is_complete: true })
    }

    fn read(
        &self,
        package: &PackagePath,
        _: &ResourcePath,
        _: ReadLimit,
    ) -> Result<Vec<u8>, SourceError> {
        let name = package.as_str();
        let number = name.rsplit('-').next().unwrap().parse().unwrap();
        let text = description(number);
        Ok(format!("---\nname: {name}\ndescription: {text}\n---\nBody\n").into_bytes())
    }
}

fn catalog(count: usize) -> Catalog {
    let mut records = RecordSetBuilder::new();
    for number in 0..count {
        let (name, description) = (name(number), description(number));
        records.push(&prowess_testkit::record(&name, &name, &description));
    }
    let (source, records) = (Arc::new(Generated), Arc::new(records.finish()));
    let source = Scanned { layer: 0, source, records };
    let mut builder = CatalogBuilder::new(vec![Layer::new("user", Trust::Trusted)], vec![source]);
    (0..count).for_each(|at| builder.show(RecordIndex::new(0, at)).unwrap());
    builder.finish(1)
}

/// Builds the file in the process that [`many_skills_are_opened_and_searched`] starts.
#[test]
fn builder_of_the_file() {
    let Some(path) = std::env::var_os(BUILD) else { return };
    let mut file = fs::File::create(path).unwrap();
    let mut store = |_: &_, _: &[u8]| Ok(());
    let catalog = catalog(skills());
    write_catalog(&catalog, "many", &mut file, &mut store, &Cancel::default()).unwrap();
}

/// Returns the private memory of this process in KiB.
fn private_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Returns the times of calls, sorted.
fn times(count: usize, mut call: impl FnMut(usize)) -> Vec<Duration> {
    let mut times: Vec<_> = (0..count)
        .map(|number| {
            let start = Instant::now();
            call(number);
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    times
}

fn quantile(times: &[Duration], share: usize) -> f64 {
    times[(times.len() - 1) * share / 1000].as_secs_f64() * 1e6
}

/// Builds the file in another process, whose memory is not the host's.
fn build(path: &Path) -> Duration {
    let start = Instant::now();
    let mut builder = Command::new(std::env::current_exe().unwrap());
    builder.args(["--exact", "night::builder_of_the_file"]).env(BUILD, path);
    assert!(builder.stdout(std::process::Stdio::null()).status().unwrap().success());
    start.elapsed()
}

#[test]
fn many_skills_are_opened_and_searched() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("many.prowess");
    let built = build(&path);
    let before = private_memory();
    let opened = times(20, |_| drop(CatalogFile::open(&path).unwrap()));
    let file = CatalogFile::open(&path).unwrap();
    let of_open = private_memory().saturating_sub(before);
    let count = file.len();
    assert_eq!(count, skills());
    let mut random = Random::new(1, 1);
    let mut random_id = || name(random.below(count));
    let cold = times(200, |_| assert!(file.get(&random_id()).unwrap().is_some()));
    let hot: Vec<_> = (0..200).map(|_| random_id()).collect();
    hot.iter().for_each(|id| drop(file.get(id).unwrap()));
    let warm = times(4_000, |at| drop(file.get(&hot[at % hot.len()]).unwrap()));
    // Any reader of a file has to do this: as many bytes as the records around one.
    let raw = fs::File::open(&path).unwrap();
    let mut buffer = vec![0; 12 * 1024];
    let read = times(4_000, |at| {
        let at = (at % hot.len()) as u64 * (file.bytes() - 12 * 1024) / hot.len() as u64;
        std::os::unix::fs::FileExt::read_exact_at(&raw, &mut buffer, at).unwrap();
    });
    let mut random = Random::new(2, 2);
    let queries: Vec<_> = (0..2_000)
        .map(|_| {
            let count = 1 + random.below(4);
            words(&mut random, count)
        })
        .collect();
    let first = times(1, |_| drop(file.search(&queries[0], 10).unwrap()));
    queries.iter().take(500).for_each(|query| drop(file.search(query, 10).unwrap()));
    let searched = times(queries.len(), |at| drop(file.search(&queries[at], 10).unwrap()));
    let of_search = private_memory().saturating_sub(before);
    println!("{count} skills, {} MiB, built in {built:.1?}", file.bytes() >> 20);
    println!("open       {:>9.1} µs median", quantile(&opened, 500));
    println!(
        "id         {:>9.1} µs warm, {:.1} µs cold",
        quantile(&warm, 500),
        quantile(&cold, 500)
    );
    println!("12 KiB     {:>9.1} µs by `pread` alone", quantile(&read, 500));
    println!(
        "search     {:>9.1} µs median, {:.1} µs p99, {:.0} µs for the first one",
        quantile(&searched, 500),
        quantile(&searched, 990),
        quantile(&first, 0)
    );
    println!("memory     {of_open:>9} KiB private after opening, {of_search} KiB after searches");
    assert!(of_open < 16 * 1024, "a host holds the index alone: {of_open} KiB");
    assert!(of_search < 64 * 1024, "a host holds words, and no records or lists: {of_search} KiB");
    let ratio = quantile(&warm, 500) / quantile(&read, 500);
    assert!(cfg!(debug_assertions) || ratio < 8.0, "an id costs {ratio:.1} reads");
}
