//! What scripts of our own run: plainly, in roundabout ways, and only in appearance.
//! Must not know: rules.

use super::*;
use crate::core::launch::Command;
use crate::core::policy::tests::policy;
use proptest::prelude::*;
use std::sync::LazyLock;

static POLICY: LazyLock<LaunchPolicy> = LazyLock::new(|| policy().launch.unwrap());

fn launch(text: &str) -> Launch {
    read("s.sh", text, &POLICY, &BTreeMap::new())
}

fn server(text: &str) -> Command {
    let launch = launch(text);
    assert_eq!(launch.problems, [], "{text}");
    assert_eq!(launch.servers.len(), 1, "{text}\n{launch:?}");
    launch.servers[0].clone()
}

/// Flags as `name=value@line`, with `?` where a branch decides.
fn shown(settings: &[Setting]) -> Vec<String> {
    let mark = |when| if when == When::Sometimes { "?" } else { "" };
    settings.iter().map(|s| format!("{}={}@{}{}", s.name, s.value, s.line, mark(s.when))).collect()
}

#[test]
fn flags_in_all_their_forms() {
    let text = "#!/usr/bin/env bash\nsglang serve --model-path m --tp=8 \\\n  --trust_remote_code --cuda-graph-bs 1 2 4 \\\n  --json '{\"a b\": 1}' \\\n  --offset -1 > log 2>&1 &\n";
    let got = shown(&server(text).flags);
    assert_eq!(
        got,
        [
            "model-path=m@2",
            "tp=8@2",
            "trust-remote-code=@3",
            "cuda-graph-bs=1 2 4@3",
            "json={\"a b\": 1}@4",
            "offset=-1@5",
            "json.a b=1@4"
        ]
    );
}

#[test]
fn a_value_is_the_last_one_set() {
    let table = [
        ("N=3\nN=4\nvllm serve m --k $N", Value::Text("4".into())),
        ("N=3\nvllm serve m --k $N\nN=4", Value::Text("3".into())),
        ("N=${N:-3}\nvllm serve m --k \"$N\"", Value::Default("3".into())),
        ("N=5\nN=${N:-3}\nvllm serve m --k \"$N\"", Value::Text("5".into())),
        (": ${N:=3}\nvllm serve m --k \"${N}\"", Value::Default("3".into())),
        ("vllm serve m --k \"$N\"", Value::Unknown("$N".into())),
        ("A=4\nN=\"x${A}y\"\nvllm serve m --k $N", Value::Text("x4y".into())),
        ("N=1\nif [ \"$X\" = 1 ]; then N=2; fi\nvllm serve m --k $N", Value::OneOf(vec!["2".into(), "1".into()])),
        ("N=1\nif false; then N=2; fi\nvllm serve m --k $N", Value::Text("1".into())),
        ("if [[ $X == a ]]; then N=2; else N=2; fi\nvllm serve m --k $N", Value::Text("2".into())),
        ("X=b\ncase $X in a) N=1;; b|c) N=2;; *) N=3;; esac\nvllm serve m --k $N", Value::Text("2".into())),
        ("N=1\n(N=2)\nvllm serve m --k $N", Value::Text("1".into())),
        ("N=1\nf() { N=2; }\nvllm serve m --k $N", Value::Text("1".into())),
        ("N=1\nf() { N=2; }\nf\nvllm serve m --k $N", Value::Text("2".into())),
        ("N=1\n[ -n \"$X\" ] && N=2\nvllm serve m --k $N", Value::OneOf(vec!["2".into(), "1".into()])),
        ("N=1\n: '\nN=2\n'\nvllm serve m --k $N", Value::Text("1".into())),
        ("N=1\ncat <<EOF\nN=2\nEOF\nvllm serve m --k $N", Value::Text("1".into())),
        ("N=1 # N=2\nvllm serve m --k $N", Value::Text("1".into())),
        ("for N in 1 2; do vllm serve m --k $N; done", Value::OneOf(vec!["1".into(), "2".into()])),
        // A default may be overridden, so it decides no branch.
        ("N=1\nif [ \"${X:-no}\" = yes ]; then N=2; fi\nvllm serve m --k $N", Value::OneOf(vec!["2".into(), "1".into()])),
        // The policy assumes a measuring run.
        ("N=1\nif [ \"${EVAL_ONLY:-true}\" = true ]; then N=2; fi\nvllm serve m --k $N", Value::Text("1".into())),
    ];
    for (text, want) in table {
        let server = server(text);
        assert_eq!(server.flag("k").map(|flag| &flag.value), Some(&want), "{text}");
        assert_eq!(server.flag("model").map(|flag| flag.value.to_string()).as_deref(), Some("m"), "{text}");
    }
}

#[test]
fn arrays_and_variables_that_hold_flags() {
    let text = r#"
ARGS=(
  --a 1   # a comment
  # --never
  --b "two words"
)
if [ "$DP" = true ]; then ARGS+=(--c 3); fi
MORE="--d 4 --e"; NONE=()
CMD=(python3 -u -m sglang.launch_server "${ARGS[@]}" ${NONE[@]+"${NONE[@]}"} $MORE)
printf '%q ' "${CMD[@]}"
"${CMD[@]}" --f > log &
"#;
    let server = server(text);
    assert_eq!(shown(&server.flags), ["a=1@3", "b=two words@5", "c=3@7?", "d=4@9", "e=@9", "f=@11"]);
    assert!(server.open.is_empty() && server.program == "sglang");
}

#[test]
fn what_comes_from_elsewhere_is_open() {
    let server = server("vllm serve \"$MODEL\" --port 1 $EXTRA_ARGS \"${MORE[@]}\" --x \"$Y\"");
    assert_eq!(shown(&server.open), ["$EXTRA_ARGS=$EXTRA_ARGS@1", "${MORE[@]}=${MORE[@]}@1"]);
    assert_eq!(shown(&server.flags), ["model=$MODEL@1", "port=1@1", "x=$Y@1"]);
    let launch = launch("$SERVER_CMD --a 1 &\n");
    assert!(launch.servers.is_empty() && launch.problems[0].message.contains("`$SERVER_CMD` runs a command"), "{launch:?}");
}

#[test]
fn only_what_is_exported_reaches_the_server() {
    let text = r#"
A=1
export B=2
C=3
export C
declare -x D=4
E=5 F=6 env G=7 sglang serve --x
H=8 true
unset B
"#;
    assert_eq!(shown(&server(text).env), ["B=2@3", "C=3@4", "D=4@6", "E=5@7", "F=6@7", "G=7@7"]);
    assert_eq!(shown(&server("set -a\nA=1\nset +a\nB=2\nunset C\nsglang serve").env), ["A=1@2"]);
    assert_eq!(shown(&server("export A=1\nunset A\nsglang serve").env), Vec::<String>::new());
    assert_eq!(shown(&server("if [ $X ]; then export A=1; fi\nsglang serve").env), ["A=1@1?"]);
}

#[test]
fn what_only_looks_like_a_server_is_none() {
    let table = [
        "# vllm serve m --x",
        "echo \"vllm serve m --x\"",
        "echo vllm serve m --x",
        "cat <<'EOF'\nvllm serve m --x\nEOF",
        "if false; then vllm serve m --x; fi",
        "serve() { vllm serve m --x; }",
        "exit 0\nvllm serve m --x",
        "true || vllm serve m --x",
        "false && vllm serve m --x",
        "pkill -f 'vllm serve' || true",
        "grep vllm serve log",
        "CMD='vllm serve m'",
        ": '\nvllm serve m\n'",
        "if [ 1 = 1 ]; then exit 1; fi\nvllm serve m",
        "if true; then exec sleep 1; fi\nvllm serve m",
    ];
    for text in table {
        let launch = launch(text);
        assert_eq!((launch.servers.len(), launch.problems.len()), (0, 0), "{text}: {launch:?}");
    }
}

#[test]
fn a_server_behind_wrappers_and_strings_is_one() {
    let table = [
        "nohup vllm serve m --x 1 &",
        "exec /opt/bin/vllm serve m --x 1",
        "A=1 timeout 3600 numactl -N 0 vllm serve m --x 1 | tee log",
        "bash -c \"vllm serve m --x 1\"",
        "srun --mpi=pmix bash -lc 'export A=1; vllm serve m --x 1'",
        "CMD=\"vllm serve m --x 1\"\neval \"$CMD\" &",
        "CMD=\"vllm serve m --x 1\"\n$CMD > log 2>&1 &",
        "mkdir -p x && vllm serve m --x 1",
        "[ -f x ] || exit 1\nvllm serve m --x 1",
        "set -e\n{ vllm serve m --x 1; } 2>&1 | tee log",
        "start() {\n  vllm serve m --x 1\n}\nstart",
        "if [ $A = 1 ]; then exit 1; fi\nvllm serve m --x 1",
        "while true; do vllm serve m --x 1; done",
        "grep -q x log && exit 0\nvllm serve m --x 1",
        "source \"$(dirname \"$0\")/lib.sh\"\ncheck A B\nvllm serve m --x 1",
        "wait_ready() {\n  for ((i = 0; i < 9; i++)); do\n    if curl x; then return 0; fi\n  done\n  exit 1\n}\nwait_ready\nvllm serve m --x 1",
        "trap 'exit 130' INT\n{ set +x; } 2>/dev/null\nif ! [[ \"$A\" =~ ^[0-9]+$ ]]; then exit 1; fi\nvllm serve m --x 1",
        "case \"${B:-}\" in\n  a) C=1 ;;\n  *) echo \"no $B\" >&2; exit 1 ;;\nesac\nvllm serve m --x 1",
    ];
    for text in table {
        let server = server(text);
        assert_eq!((server.flag("x").unwrap().value.text(), server.when), (Some("1"), When::Always), "{text}");
    }
}

#[test]
fn a_file_of_flags_that_a_heredoc_wrote_is_read() {
    let text = "N=3\nCONF=extra.yml\ncat > $CONF <<EOF\nkv_cache_config:\n  dtype: fp8\nspeculative_config:\n  max_draft_len: ${N}\nEOF\ntrtllm-serve m --extra_llm_api_options=$CONF --tp_size 8\n";
    let server = server(text);
    assert_eq!(
        shown(&server.flags)[1..],
        [
            "extra-llm-api-options=extra.yml@9",
            "tp-size=8@9",
            "kv-cache-config.dtype=fp8@5",
            "speculative-config.max-draft-len=3@7"
        ]
    );
}

#[test]
fn what_a_run_brings_along_decides() {
    let text = "if [ \"$TP\" -eq 8 ]; then A=(--big); else A=(--small); fi\nvllm serve m --tp $TP \"${A[@]}\"";
    let environment = BTreeMap::from([("TP".to_owned(), "8".to_owned())]);
    let with = read("s", text, &POLICY, &environment);
    assert_eq!(shown(&with.servers[0].flags), ["model=m@2", "tp=8@2", "big=@1"]);
    let without = server(text);
    assert_eq!(shown(&without.flags), ["model=m@2", "tp=$TP@2", "big=@1?", "small=@1?"]);
}

#[test]
fn what_cannot_be_followed_is_said() {
    for (text, word) in [
        ("vllm serve 'm --x 1", "single quote"),
        ("vllm serve \"m --x 1", "double quote"),
        ("A=(1 2\nvllm serve m", "array"),
        ("cat <<EOF\nvllm serve m", "heredoc"),
        ("if true; then vllm serve m", "`fi` is missing"),
        ("X=$(vllm serve m", "not closed"),
        ("f() { f; }\nf", "too deeply"),
    ] {
        let launch = launch(text);
        assert!(launch.problems.iter().any(|problem| problem.message.contains(word)), "{text}: {:?}", launch.problems);
    }
}

#[test]
fn all_commands_are_read_for_rules_about_the_machine() {
    let text = "f() {\n  sed -i 's/a/b/' x.py\n}\nif false; then pip install y; fi\nexit 1\ncp a b\n";
    let all = read_all("s", text, &POLICY);
    let words: Vec<String> = all.ran.iter().map(|ran| ran.words.join(" ")).collect();
    assert_eq!(words, ["sed -i s/a/b/ x.py", "false", "pip install y", "exit 1", "cp a b"]);
    assert_eq!((all.ran[0].line, all.ran[2].line), (2, 4));
}

/// Pieces that make a reader quadratic if anything in it rescans. All of them are read to the end, or up to where the work
/// for one script is spent.
#[test]
fn a_line_of_a_megabyte_is_read_once() {
    for piece in
        ["a", "(", "$(", "${", "${A:-", "`", "\"", "'", "\\\n", "((", "<(", "\"$(", "A=$A$A;", "vllm serve m --x $A;A=1;"]
    {
        let _ = launch(&piece.repeat(1_000_000 / piece.len()));
    }
}

#[test]
fn a_long_script_of_any_shape_comes_to_an_end() {
    for piece in [
        ")",
        "<<E\n",
        "A+=(x);",
        "if a;then A+=(a);fi;",
        "if a;then ",
        "f(){ f;f;};f;",
        "[[ ",
        "{ ",
        "case x in ",
        "export A=1;",
        "a|",
        "a&&",
        "! ",
        "for a in b;do ",
        "a <<<b;",
        "eval 'eval ';",
        "bash -c 'a';",
        "A=1 ",
        "f(){ f;",
    ] {
        let _ = launch(&piece.repeat(100_000 / piece.len()));
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in "(?s)[ -~\n\t\u{0}é]{0,300}") {
        let _ = launch(&text);
        let _ = read_all("s", &text, &POLICY);
    }

    #[test]
    fn shell_like_text_never_panics(words in prop::collection::vec(prop::sample::select(vec![
        "if", "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "case", "esac", "{", "}", "(", ")", "((", "))", "[[", "]]",
        "[", "]", ";", ";;", "&&", "||", "|", "&", "\n", "A=1", "A+=(x y)", "A=(", "$A", "${A[@]}", "\"$A\"", "${A:-b}", "${A:+", "$(", "`",
        "'", "\"", "<<EOF", "EOF", "<<<", ">", "2>&1", "export", "unset", "f()", "f", "vllm", "serve", "--x", "--y=z", "eval", "bash", "-c",
        "exit", "!", "true", "false", "#", "\\", "set", "-a", "local", "é",
    ]), 0..60), gap in prop::sample::select(vec![" ", ""])) {
        let text = words.join(gap);
        let one = launch(&text);
        for problem in &one.problems {
            prop_assert!(!problem.message.contains('\n'));
        }
    }
}

#[test]
fn sourced_files_are_part_of_the_script() {
    let library: crate::core::launch::Library = [
        ("a/common.sh", "export A=1\nARGS=(--x 1)\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/more/deep.sh\"\nreturn 0\n"),
        ("a/more/deep.sh", "start() {\n  vllm serve m --tp 8 \"${ARGS[@]}\" \"$@\"\n}\nrun_benchmark_serving() {\n  $SOMETHING\n}\n. deep.sh\n"),
        ("lib.sh", "unset A"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    let read = |text: &str| read_with("a/s.sh", text, &POLICY, &BTreeMap::new(), &library);
    let whole = read(
        "# head\nDIR=\"$(cd \"$(dirname \"$0\")\" && pwd)\"\nsource \"$DIR/common.sh\"\nstart --y 2\nrun_benchmark_serving --model m\n",
    );
    assert!(whole.sources.is_empty() && whole.clients.len() == 1, "{whole:?}");
    let server = &whole.servers[0];
    assert_eq!(
        server.flag("tp").map(|flag| (flag.value.to_string(), flag.line)),
        Some(("8".into(), 3)),
        "on the line that sources it"
    );
    assert_eq!(server.flag("x").map(|flag| flag.value.to_string()), Some("1".into()));
    assert!(server.variable("A").is_some() && whole.problems.is_empty(), "{whole:?}");
    // What is not at hand is told, once; what the harness brings is known; what a heredoc wrote is at hand.
    let told = read(
        "source \"$(dirname \"$0\")/gone.sh\"\n. \"$(dirname \"$0\")/gone.sh\"\nif [ $Q = 1 ]; then . $HOME/x; fi\n\
         source \"$(dirname \"$0\")/../benchmarks/benchmark_lib.sh\"\nsource $W/benchmarks/benchmark_lib.sh\n\
         cat > /tmp/env.sh <<EOF\nexport B=2\nEOF\nsource /tmp/env.sh\nif false; then source never.sh; fi\nvllm serve m",
    );
    let sources: Vec<_> =
        told.sources.iter().map(|source| (source.written.as_str(), source.line, source.paths.clone())).collect();
    assert_eq!(sources.len(), 2, "{sources:?}");
    assert_eq!((sources[0].1, &sources[0].2), (1, &vec!["a/gone.sh".to_owned()]));
    assert_eq!(sources[1], ("$HOME/x", 3, Vec::new()));
    assert!(told.servers[0].variable("B").is_some());
    // Reading every command of a text stays within the text.
    assert!(read_all("a/s.sh", "source common.sh", &POLICY).sources.is_empty());
}
