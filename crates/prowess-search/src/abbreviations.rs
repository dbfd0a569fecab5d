//! Short forms that people type, and the words that descriptions use.

/// A short form and a long one. Each finds the other.
const PAIRS: &str = "app=application auth=authentication authn=authentication authz=authorization \
    config=configuration db=database deps=dependencies dev=development doc=documentation \
    docs=documentation docx=word env=environment i18n=internationalization \
    infra=infrastructure js=javascript k8s=kubernetes l10n=localization lib=library \
    mail=email perf=performance postgres=postgresql pptx=presentation pptx=slides \
    prod=production repo=repository spec=specification tf=terraform ts=typescript \
    vuln=vulnerability xlsx=excel xlsx=spreadsheet";

/// Returns the other forms of a word of a query.
pub(crate) fn other_forms(word: &str) -> impl Iterator<Item = &'static str> {
    PAIRS.split(' ').filter_map(move |pair| {
        let (short, long) = pair.split_once('=')?;
        if word == short { Some(long) } else { (word == long).then_some(short) }
    })
}
