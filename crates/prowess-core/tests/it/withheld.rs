//! Files that may hold credentials are withheld, and documents about them are not.

use prowess_core::{secret_in, withheld_content, withheld_path};

#[test]
fn names_of_credentials_are_withheld() {
    let secret = ".env a/.env.local .ENV prod.env .npmrc .netrc .pypirc id_rsa a/id_ed25519 \
        store.p12 a.pfx .ssh/config .aws/credentials credentials.json secrets.yaml x.tfvars \
        service-account.json .envrc .git/config .venv/lib/a.py node_modules/a/index.js \
        __pycache__/a a.pyc a/.DS_Store .git-credentials .kube/config .htpasswd \
        id_rsa.bak ID_RSA.old id_rsa_work id_ed25519-2.pem .id_rsa.swp id_rsa~ .env~ .env_prod \
        .env-local .env/config #.env# credentials_prod.json credentials-old.yaml Secrets.YML \
        secret.toml secrets.yaml.orig deploy.pem a/key.PEM x.kdbx terraform.tfstate \
        terraform.tfstate.backup prod.tfstate .docker/config.json a/.docker/config.json.bak \
        .config/gh/hosts.yml .cargo/credentials.toml service-account-prod-1a2b.json \
        x-firebase-adminsdk-1.json client_secret_1.apps.json .secrets/a.txt .AWS/Credentials";
    for path in secret.split(' ') {
        assert!(withheld_path(path).is_some(), "{path}");
    }
    let public = ".env.example .env.sample .env.template example.env certs/ca.pem id_rsa.pub \
        environment.md scripts/env docs/credentials.md secrets.md secrets.example.json \
        venv.md deck.key .gitignore git/notes.md .p12 id_rsa.md id_rsas .environment \
        certs/server-cert.pem fullchain.pem public.pem key.example.pem .docker/Dockerfile \
        secrets-guide.yaml credentials.schema.json serviceaccount.yaml .env-example \
        secrets/notes.md token.json a.bak tfstate.md";
    for path in public.split(' ') {
        assert_eq!(withheld_path(path), None, "{path}");
    }
}

#[test]
fn credentials_in_texts_are_withheld() {
    let random = "a0B1c2D3e4F5".repeat(7);
    let starts = "AKIA ASIA SG. glpat- rk_live_ sk_live_ xapp- xoxa- xoxb- xoxp- hf_ AIza ghp_ gho_ ghr_ \
                  ghs_ ghu_ npm_ gsk_ sk-ant- sk-or-v1- sk-proj- AGE-SECRET-KEY-1 dop_v1_ github_pat_ pypi-AgE \
                  dp.pt. nvapi- xai- tvly- sq0atp- CCIPAT_ sntrys_ EAAC";
    for start in starts.split(' ') {
        let length = 60;
        let text = |start: &str| format!("key = \"{start}{}\"\n", &random[..length]);
        assert!(withheld_content("a.md", text(start).as_bytes()).is_some(), "{start}");
        let inside = text(&format!("x{start}"));
        assert_eq!(withheld_content("a.md", inside.as_bytes()), None, "{inside}");
        for placeholder in ["x".repeat(length), "EXAMPLE9".repeat(length), String::new()] {
            let text = format!("{start}{placeholder}");
            assert_eq!(withheld_content("a.md", text.as_bytes()), None, "{text}");
        }
    }
    let line = "M".repeat(64);
    for (start, is_key) in [
        (format!("-----BEGIN PRIVATE KEY-----\n{line}\n"), true),
        (format!("-----BEGIN RSA PRIVATE KEY-----\r\n{line}\n"), true),
        (format!("\"k\": \"-----BEGIN PRIVATE KEY-----\\n{line}\""), true),
        ("-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n".to_owned(), true),
        ("grep -q 'BEGIN PRIVATE KEY-----' file\n".to_owned(), false),
        ("starts with `-----BEGIN PRIVATE KEY-----`\n".to_owned(), false),
        (format!("-----BEGIN CERTIFICATE-----\n{line}\n"), false),
        (format!("-----BEGIN PUBLIC KEY-----\n{line}\n"), false),
    ] {
        assert_eq!(withheld_content("a.md", start.as_bytes()).is_some(), is_key, "{start}");
    }
    let secret = "Xk9-mP2vLq8w";
    for (text, is_secret) in [
        (format!("password = \"{secret}\"\n"), true),
        (format!("DB_PASSWORD={secret}\n"), true),
        (format!("- name: API_KEY\n  api_key: '{secret}'\n"), true),
        (format!("{{\"client_secret\": \"{secret}\"}}"), true),
        (format!("deploy --password {secret} now"), true),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzzzzKEY1".to_owned(), true),
        (format!("postgres://app:{secret}@db.internal:5432/app"), true),
        (format!("git clone https://ci:{secret}@git.internal/a.git"), true),
        (format!("Authorization: Bearer {secret}{secret}"), true),
        (
            "https://hooks.slack.com/services/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"
                .to_owned(),
            true,
        ),
        (format!("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{line}\n"), true),
        (format!("key: |\n    -----BEGIN PRIVATE KEY-----\n    {line}\n"), true),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJhIn0.{random}"), true),
        (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{random}"), false),
        ("password = \"hunter2\"".to_owned(), false),
        ("password = \"Your-Passw0rd-1\"".to_owned(), false),
        ("password = os.environ[\"DB_PASSWORD_1\"]".to_owned(), false),
        ("token = createToken2(user1, Key3)".to_owned(), false),
        ("token: ${{ secrets.GITHUB_TOKEN_12 }}".to_owned(), false),
        ("postgres://user:password@localhost:5432/app".to_owned(), false),
        ("postgres://user:$PASSWORD_12@localhost/app".to_owned(), false),
        (format!("key = {secret}"), false),
    ] {
        assert_eq!(secret_in(text.as_bytes()).is_some(), is_secret, "{text}");
        assert_eq!(withheld_content("a.md", text.as_bytes()).is_some(), is_secret, "{text}");
    }
    let certificate = b"-----BEGIN CERTIFICATE-----\nMII\n";
    assert_eq!(withheld_content("certs/ca.pem", certificate), None);
    assert!(withheld_content("deploy.pem", b"other").is_some(), "nothing says that it is public");
    assert!(withheld_content("tls.key", b"\x30\x82").is_some());
    assert_eq!(withheld_content("deck.key", b"PK\x03\x04"), None);
}
