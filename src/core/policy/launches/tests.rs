//! Scripts and recipes of our own: passing, failing and deceptive, for each rule; and the siblings of the corpus.
//! Must not know: how texts are read.

use super::golden::{Curve, Workload};
use super::patches::{Approval, Changed};
use super::siblings::{Level, Share, Sibling};
use super::*;
use crate::core::launch::{LaunchPolicy, recipe, script};
use crate::core::policy::Policy;
use crate::core::policy::tests::policy;
use Status::{Fail, NeedsYou, NotApplicable, Pass, Warn};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static POLICY: LazyLock<Policy> = LazyLock::new(policy);

fn reading() -> &'static LaunchPolicy {
    POLICY.launch.as_ref().unwrap()
}

fn rules() -> &'static super::LaunchRules {
    POLICY.launch_rules.as_ref().unwrap()
}

fn launch(text: &str) -> Launch {
    if text.starts_with("backend:") || text.starts_with("base:") {
        let selector = text.starts_with("base:").then_some("override_x");
        return recipe::read("r.yaml", text, selector, reading()).remove(0);
    }
    script::read("s.sh", text, reading(), &BTreeMap::new())
}

fn params() -> (&'static LaunchPolicy, &'static LaunchRules) {
    (reading(), rules())
}

const SPEC: &str = "python3 -m sglang.launch_server --model-path m --speculative-algorithm EAGLE --speculative-num-steps 3 &\n";

#[test]
fn chat_template() {
    let table: &[(&str, Status, &str)] = &[
        ("run_benchmark_serving --model m --use-chat-template", Pass, ""),
        ("run_benchmark_serving --model m --dsv4", Pass, ""),
        ("run_benchmark_serving --model m --backend openai-chat", Pass, ""),
        ("A=(--model m)\nA+=(--use-chat-template)\nrun_benchmark_serving \"${A[@]}\"", Pass, ""),
        ("bench() { run_benchmark_serving --use-chat-template; }\nbench", Pass, ""),
        ("run_agentic_replay_and_write_outputs x", Pass, ""),
        ("run_benchmark_serving --model m --backend vllm", Fail, "s.sh:2"),
        // Deceptive.
        ("run_benchmark_serving --model m \\\n  --port 1 # --use-chat-template", Fail, ""),
        ("# run_benchmark_serving --use-chat-template\nrun_benchmark_serving --model m", Fail, ""),
        ("echo run_benchmark_serving --use-chat-template\nrun_benchmark_serving --model m", Fail, ""),
        ("OTHER=(--use-chat-template)\nrun_benchmark_serving --model m", Fail, ""),
        ("A=(--use-chat-template)\nA=()\nrun_benchmark_serving --model m \"${A[@]}\"", Fail, ""),
        ("if false; then A=--use-chat-template; fi\nA=${A:-}\nrun_benchmark_serving --model m $A", Fail, ""),
        ("cat <<EOF\n--use-chat-template\nEOF\nrun_benchmark_serving --model m", Fail, ""),
        ("run_benchmark_serving --use-chat-template\nrun_benchmark_serving --model m", Fail, "s.sh:3"),
        (
            "if [ \"$CHAT\" = 1 ]; then A=(--use-chat-template); else A=(); fi\nrun_benchmark_serving --m x \"${A[@]}\"",
            NeedsYou,
            "branch",
        ),
        ("run_benchmark_serving --model m $BENCH_ARGS", NeedsYou, "`$BENCH_ARGS`"),
        ("bash bench.sh", NeedsYou, "no benchmark client"),
        ("run_benchmark_serving --use-chat-template 'oops", NeedsYou, "could be followed"),
    ];
    let (policy, rules) = params();
    for (text, want, word) in table {
        let ruling = super::chat_template::judge(&launch(&format!("{SPEC}{text}\n")), policy, &rules.chat_template, false);
        assert_eq!(ruling.status, *want, "{text}: {ruling:?}");
        assert!(ruling.reason.contains(word), "{text}: {ruling:?}");
    }
    let plain = launch("vllm serve m\nrun_benchmark_serving --model m");
    assert_eq!(super::chat_template::judge(&plain, policy, &rules.chat_template, false).status, NotApplicable);
    assert_eq!(super::chat_template::judge(&plain, policy, &rules.chat_template, true).status, Fail);
    let served = "backend: {type: sglang, sglang_config: {decode: {speculative-algorithm: EAGLE}}}\n";
    for (benchmark, want) in [
        ("{type: sa-bench, use_chat_template: true}", Pass),
        ("{type: sa-bench, use_chat_template: false}", Fail),
        ("{type: sa-bench}", Fail),
        ("{type: custom, command: bash /w/agentic_srt.sh}", Pass),
        ("{type: custom, command: bash /w/other.sh}", NeedsYou),
    ] {
        let ruling = super::chat_template::judge(
            &launch(&format!("{served}benchmark: {benchmark}\n")),
            policy,
            &rules.chat_template,
            false,
        );
        assert_eq!(ruling.status, want, "{benchmark}: {ruling:?}");
    }
}

fn curve(length: u32) -> Option<f64> {
    [1.84, 2.50, 2.99, 3.33].get(length.checked_sub(1)? as usize).copied()
}

fn golden(text: &str, agentic: bool, settings: &[(&str, &str)]) -> Ruling {
    let (policy, rules) = params();
    let settings: Vec<_> = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let curve = Curve { name: "glm5.2_mtp thinking_on", at: &curve };
    let workload = Workload { agentic, stated: false, injected: false, settings: &settings, curve: Some(curve) };
    super::golden::judge(&launch(text), policy, &rules.golden, &workload)
}

const ACC: &str = "export SGLANG_SIMULATE_ACC_METHOD=match-expected SGLANG_SIMULATE_ACC_TOKEN_MODE=real-draft-token\n";

#[test]
fn golden_acceptance_length() {
    let vllm = |fields: &str| format!("vllm serve m --speculative-config '{{\"method\": \"mtp\", {fields}}}'\n");
    let atom =
        |flags: &str| format!("python3 -m atom.entrypoints.openai_server --method mtp --num-speculative-tokens 3 {flags}\n");
    let trt = |env: &str, draft: &str| {
        format!(
            "backend: {{type: trtllm, decode_environment: {{{env}}}, trtllm_config: {{decode: {{speculative_config: {{{draft}}}}}}}}}\n"
        )
    };
    let table: Vec<(String, Status, &str)> = vec![
        (format!("{ACC}export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), Pass, "has 2.99 at draft length 3"),
        (format!("export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), Warn, "Usually `SGLANG_SIMULATE_ACC_METHOD`"),
        (format!("{ACC}AL=2.99\nexport SGLANG_SIMULATE_ACC_LEN=$AL\n{SPEC}"), Pass, ""),
        (
            format!("{ACC}if [ \"${{EVAL_ONLY:-false}}\" != true ]; then export SGLANG_SIMULATE_ACC_LEN=2.99; fi\n{SPEC}"),
            Pass,
            "",
        ),
        (format!("{ACC}export SGLANG_SIMULATE_ACC_LEN=3.33\n{SPEC}"), Fail, "but glm5.2_mtp thinking_on has 2.99"),
        (SPEC.to_owned(), Fail, "real acceptance"),
        // Deceptive: set twice, not exported, commented out, printed, unset again, in an open branch.
        (format!("{ACC}AL=2.99\nAL=3.99\nexport SGLANG_SIMULATE_ACC_LEN=$AL\n{SPEC}"), Fail, "3.99"),
        (format!("{ACC}SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), Fail, "real acceptance"),
        (format!("{ACC}# export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), Fail, "real acceptance"),
        (format!("{ACC}echo export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), Fail, "real acceptance"),
        (format!("{ACC}export SGLANG_SIMULATE_ACC_LEN=2.99\nunset SGLANG_SIMULATE_ACC_LEN\n{SPEC}"), Fail, "real acceptance"),
        (format!("{ACC}if [ $X = 1 ]; then export SGLANG_SIMULATE_ACC_LEN=2.99; fi\n{SPEC}"), NeedsYou, "branch"),
        (format!("{ACC}export SGLANG_SIMULATE_ACC_LEN=$AL\n{SPEC}"), NeedsYou, "`$AL`"),
        (
            vllm(
                "\"num_speculative_tokens\": 4, \"rejection_sample_method\": \"synthetic\", \"synthetic_acceptance_length\": 3.33",
            ),
            Pass,
            "",
        ),
        (
            vllm("\"num_speculative_tokens\": 4, \"synthetic_acceptance_length\": 3.33"),
            Fail,
            "`speculative-config.rejection-sample-method`",
        ),
        (
            vllm(
                "\"num_speculative_tokens\": 3, \"rejection_sample_method\": \"synthetic\", \"synthetic_acceptance_length\": 3.33",
            ),
            Fail,
            "",
        ),
        (
            vllm(
                "\"num_speculative_tokens\": 9, \"rejection_sample_method\": \"synthetic\", \"synthetic_acceptance_length\": 3.33",
            ),
            NeedsYou,
            "state its source",
        ),
        (vllm("\"num_speculative_tokens\": 4"), Fail, "real acceptance"),
        // The engine counts draft tokens only.
        (trt("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '1.99'", "decoding_type: MTP, max_draft_len: 3"), Pass, "2.99"),
        (
            trt("TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS: '2.99'", "decoding_type: MTP, num_nextn_predict_layers: 3"),
            Fail,
            "length of 3.99",
        ),
        (atom("--spec-decode-acceptance-length 2.99"), Pass, ""),
        (atom("--spec-decode-acceptance-rate 0.6633333333"), Pass, "length of 2.99"),
        (atom("--spec-decode-acceptance-rate 0.75"), Fail, "length of 3.25"),
        (atom(""), Fail, ""),
    ];
    for (text, want, word) in &table {
        let ruling = golden(text, true, &[]);
        assert_eq!(ruling.status, *want, "{text}: {ruling:?}");
        assert!(ruling.reason.contains(word), "{text}: {ruling:?}");
    }
    let handed = [("SYNTHETIC_ACCEPTANCE", "true"), ("SYNTHETIC_ACCEPTANCE_LENGTH", "2.99")];
    assert_eq!(golden(SPEC, true, &handed).status, Pass);
    assert_eq!(golden(SPEC, true, &[("SYNTHETIC_ACCEPTANCE", "false"), handed[1]]).status, Fail);
    assert_eq!(golden("vllm serve m", true, &[]).status, NotApplicable);
}

#[test]
fn golden_knobs_outside_agentic_fail() {
    assert_eq!(golden(SPEC, false, &[]).status, NotApplicable);
    let knob = golden(&format!("export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), false, &[]);
    assert_eq!((knob.status, knob.lines.as_slice()), (Fail, &[1][..]), "{knob:?}");
    assert_eq!(
        golden(&format!("if [ $X ]; then export SGLANG_SIMULATE_ACC_LEN=2.99; fi\n{SPEC}"), false, &[]).confidence,
        Confidence::Suspect
    );
    assert_eq!(golden(&format!("# export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}"), false, &[]).status, NotApplicable);
    assert_eq!(golden(SPEC, false, &[("SYNTHETIC_ACCEPTANCE_LENGTH", "2.99")]).status, Fail);
    assert_eq!(
        golden("vllm serve m --speculative-config '{\"rejection_sample_method\": \"synthetic\"}'", false, &[]).status,
        Fail
    );
}

#[test]
fn golden_is_not_guessed() {
    let (policy, rules) = params();
    let judge = |text: &str, injected, curve| {
        let workload = Workload { agentic: true, stated: true, injected, settings: &[], curve };
        super::golden::judge(&launch(text), policy, &rules.golden, &workload)
    };
    let pinned = format!("{ACC}export SGLANG_SIMULATE_ACC_LEN=2.99\n{SPEC}");
    assert!(judge(&pinned, false, None).reason.contains("no curve is committed"));
    assert_eq!(judge(&pinned, false, None).status, NeedsYou);
    assert_eq!(judge(SPEC, true, None).status, NeedsYou);
    assert_eq!(judge("bash other.sh", false, None).status, NeedsYou);
}

#[test]
fn draft_as_shipped() {
    let (policy, rules) = params();
    let hard = "SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE";
    let base = "base:\n  backend: {type: sglang, decode_environment: {SGLANG_NVFP4_CKPT_FP8_NEXTN_MOE: '1'}, sglang_config: {decode: {speculative-algorithm: EAGLE}}}\n";
    let table: Vec<(String, Status, &str)> = vec![
        (SPEC.to_owned(), Pass, ""),
        (format!("export {hard}=1\n{SPEC}"), Fail, "never allowed"),
        (format!("export {hard}=True\n{SPEC}"), Fail, ""),
        (format!("{base}override_x: {{name: y}}\n"), Fail, "NEXTN_MOE=1"),
        (format!("{base}override_x: {{backend: {{decode_environment: {{{hard}: null}}}}}}\n"), Pass, ""),
        (format!("{base}override_x: {{backend: {{decode_environment: {{{hard}: '0'}}}}}}\n"), Pass, ""),
        (format!("{hard}=1\n{SPEC}"), Pass, ""),
        (format!("export {hard}=0\n{SPEC}"), Pass, ""),
        (format!("echo {hard}=1\n{SPEC}"), Pass, ""),
        (format!("if [ $X ]; then export {hard}=1; fi\n{SPEC}"), NeedsYou, "open"),
        (format!("export {hard}=$X\n{SPEC}"), NeedsYou, "open"),
        (
            SPEC.replace(" &", " --speculative-draft-model-quantization fp8 &"),
            NeedsYou,
            "`--speculative-draft-model-quantization fp8`",
        ),
        (format!("export SGLANG_GLM_NEXTN_MOE_PTPC=1\n{SPEC}"), NeedsYou, ""),
        ("vllm serve m".to_owned(), NotApplicable, ""),
    ];
    for (text, want, word) in &table {
        let ruling = super::draft::judge(&launch(text), policy, &rules.draft, false);
        assert_eq!(ruling.status, *want, "{text}: {ruling:?}");
        assert!(ruling.reason.contains(word), "{text}: {ruling:?}");
    }
}

#[test]
fn hacks() {
    let rules = params().1;
    let table = [
        ("vllm serve m --max-num-seqs 4", Pass, ""),
        ("vllm serve m --hf-overrides '{\"num_hidden_layers\": 4}'", Fail, "num-hidden-layers 4"),
        ("vllm serve m --hf-overrides '{\"rope_theta\": 4}'", NeedsYou, "yours to judge"),
        ("sglang serve --json-model-override-args $X", NeedsYou, ""),
        ("# vllm serve m --hf-overrides '{\"num_hidden_layers\": 4}'\nvllm serve m", Pass, ""),
        ("echo --hf-overrides\nvllm serve m", Pass, ""),
        ("sed -i s/61/4/ $MODEL/config.json\nvllm serve m", NeedsYou, "config.json"),
        ("sed -i s/a/b/ client.json\nvllm serve m", Pass, ""),
        ("jq . $MODEL/config.json > /tmp/x\nvllm serve m", NeedsYou, ""),
        (
            "backend: {type: trtllm, publish_events_and_metrics: false, trtllm_config: {decode: {a: 1}}}",
            Fail,
            "publish_events_and_metrics: false",
        ),
        ("backend: {type: trtllm, publish_events_and_metrics: true, trtllm_config: {decode: {a: 1}}}", Pass, ""),
        ("vllm serve 'm", NeedsYou, "could be followed"),
    ];
    for (text, want, word) in table {
        let launch = launch(text);
        let ruling =
            super::hacks::forbidden(&launch, &rules.hacks).unwrap_or_else(|| super::hacks::judge(&launch, &rules.hacks));
        assert_eq!(ruling.status, want, "{text}: {ruling:?}");
        assert!(ruling.reason.contains(word), "{text}: {ruling:?}");
    }
}

fn patched(path: &str, text: &str) -> super::patches::Patches {
    let (policy, rules) = params();
    let added: Vec<usize> = (1..=text.lines().count()).collect();
    super::patches::find(&[Changed { path, added: &added, text: Some(text) }], policy, &rules.patches)
}

#[test]
fn patches_that_are_some() {
    let table = [
        ("s.sh", "sed -i 's/a/b/' /usr/lib/python3/site-packages/vllm/x.py", true),
        ("s.sh", "f() {\n  sed -i.bak -e 's/a/b/' \"$SITE/dist-packages/x.py\"\n}", true),
        ("s.sh", "D=/sgl-workspace/sglang\nsed -i s/a/b/ $D/x.py", true),
        ("s.sh", "sed -i 's/a/b/' \"$(python3 -c 'import vllm; print(vllm.__file__)')\"", true),
        ("s.sh", "sed -i 's/a/b/' \"$TARGET\"", false),
        (
            "s.sh",
            "python3 - <<'EOF'\nimport importlib.util\np = importlib.util.find_spec('vllm').origin\nt = open(p).read()\nopen(p, 'w').write(t.replace('a', 'b'))\nEOF",
            true,
        ),
        ("s.sh", "cat > /opt/vllm/x.py <<EOF\nx\nEOF", true),
        ("s.sh", "cp fix.py /usr/local/lib/python3.12/dist-packages/vllm/", true),
        ("s.sh", "git apply fix.diff", false),
        ("s.sh", "cd x && git -C /sgl-workspace/sglang apply fix.diff", true),
        ("s.sh", "patch -p1 -d /opt/vllm < fix", true),
        ("s.sh", "pip install --no-deps vllm==0.9", true),
        ("s.sh", "python3 -m pip install git+https://github.com/x/sglang.git@fix", true),
        ("s.sh", "uv pip install ./vllm-0.9+fork-cp312-linux.whl", true),
        ("s.sh", "pip uninstall -y flashinfer_python", true),
        ("s.sh", "pip install -e ./fork", false),
        ("s.sh", "if false; then pip install sgl-kernel; fi", true),
        ("s.sh", "export PYTHONPATH=/opt/vllm-fork:$PYTHONPATH", false),
        ("a/fix.patch", "+x", true),
        ("a/sitecustomize.py", "x = 1", true),
        ("a/apply.py", "p = vllm.__file__\nPath(p).write_text(t)", true),
        ("r.yaml", "backend:\n  type: vllm\nsetup_script: fix.sh\n", false),
        ("r.yaml", "container_mounts:\n  /x/a.py: /opt/vllm/a.py\n", true),
    ];
    for (path, text, exact) in table {
        let found = patched(path, text).found;
        assert!(!found.is_empty() && found.iter().any(|found| found.exact) == exact, "{text}: {found:?}");
    }
}

#[test]
fn what_only_looks_like_a_patch_is_none() {
    let table = [
        ("s.sh", "# sed -i 's/a/b/' /x/site-packages/vllm/x.py"),
        ("s.sh", "echo \"sed -i s/a/b/ /x/site-packages/vllm/x.py\""),
        ("s.sh", "sed -n 's/a/b/p' /x/site-packages/vllm/x.py"),
        ("s.sh", "sed -i 's/a/b/' recipe.yaml"),
        ("s.sh", "sed -i 's/a/b/' srt-slurm/config.yaml"),
        (
            "s.sh",
            "python3 - <<'EOF'\nimport importlib.util\np = importlib.util.find_spec('vllm').origin\nassert 'fix' in open(p).read()\nEOF",
        ),
        ("s.sh", "python3 - <<'EOF'\nimport json\njson.load(open('ckpt/config.json'))\nEOF"),
        ("s.sh", "python3 - <<'EOF'\nopen('results.json', 'w').write('{}')\nEOF"),
        ("s.sh", "export LD_LIBRARY_PATH=/x/site-packages/nvidia/nccl/lib:$LD_LIBRARY_PATH"),
        ("s.sh", "git -C srt-slurm apply launcher.diff"),
        ("s.sh", "cat > \"$RESULT_DIR/x.json\" <<EOF\n{}\nEOF"),
        ("s.sh", "pip install aiperf datasets"),
        ("s.sh", "pip show vllm"),
        ("s.sh", "grep -r x /usr/lib/site-packages/vllm"),
        ("docs/x.md", "sed -i 's/a/b/' /x/site-packages/vllm/x.py"),
        ("r.yaml", "setup_script: null\n"),
        ("a/read.py", "print(vllm.__file__)\n"),
    ];
    for (path, text) in table {
        let patches = patched(path, text);
        assert_eq!((patches.found.as_slice(), patches.unread.len()), (&[][..], 0), "{text}");
    }
}

#[test]
fn only_added_lines_count_and_unread_files_are_named() {
    let (policy, rules) = params();
    let text = "sed -i s/a/b/ /sgl-workspace/x.py\necho\n";
    let find = |added: &[usize], text| super::patches::find(&[Changed { path: "s.sh", added, text }], policy, &rules.patches);
    assert_eq!(find(&[2], Some(text)).verdict().0, Pass);
    assert_eq!(find(&[1], Some(text)).found[0].line, 1);
    assert_eq!(find(&[1], Some(text)).verdict(), (Fail, Confidence::Exact));
    assert_eq!(find(&[1], None).verdict().0, Status::Unavailable);
    assert_eq!(find(&[1], Some("echo 'x")).unread, ["s.sh"]);
}

#[test]
fn waivers_say_what_they_say() {
    let rules = &params().1.patches;
    let table = [
        ("**Status: approved** on 2026-08-12", Approval::Approved),
        ("Approved by the maintainers.", Approval::Approved),
        ("**Status: proposed; not approved.** Approved by nobody", Approval::NotApproved),
        ("This is not\napproved yet.", Approval::NotApproved),
        ("Pending reviewer approval", Approval::NotApproved),
        ("It must be approved by a maintainer.", Approval::NotApproved),
        ("We patch x because of y.", Approval::Silent),
        ("Disapproved by design", Approval::Silent),
        ("", Approval::Silent),
    ];
    for (text, want) in table {
        assert_eq!(super::patches::approval(text, rules), want, "{text}");
    }
}

fn sibling<'a>(name: &'a str, prefix: &'a str, launch: &'a Launch) -> Sibling<'a> {
    Sibling { name, prefix, scenario: "fixed-seq-len", stated: false, launch }
}

#[test]
fn siblings_show_drift_and_never_fail() {
    let (policy, rules) = params();
    let text = |extra: &str| format!("{SPEC}run_benchmark_serving --model m {extra}\n");
    let others: Vec<Launch> =
        (0..5).map(|i| launch(&text(if i < 4 { "--dsv4 --k 1" } else { "--use-chat-template" }))).collect();
    let this = launch(&text("# --use-chat-template"));
    let all: Vec<Sibling> = others
        .iter()
        .zip(["a", "b", "c", "d", "e"])
        .map(|(launch, name)| sibling(name, if name < "c" { "x" } else { "y" }, launch))
        .collect();
    let compared = super::siblings::compare(&sibling("t", "x", &this), &all, policy, &rules.siblings);
    assert_eq!((compared.ruling.status, compared.siblings), (Warn, 5));
    let told: Vec<_> = compared.drifts.iter().map(|d| (d.name.as_str(), d.level, d.all.have, d.same_prefix)).collect();
    // Either way of saying it is one flag.
    assert_eq!(
        told,
        [
            ("--use-chat-template", Level::Warning, 5, Share { have: 2, of: 2 }),
            ("--k", Level::Warning, 4, Share { have: 2, of: 2 })
        ]
    );
    assert_eq!(compared.drifts[0].examples, ["a", "b"]);
    let same = launch(&text("--use-chat-template --k 3"));
    assert_eq!(super::siblings::compare(&sibling("t", "x", &same), &all, policy, &rules.siblings).ruling.status, Pass);
    assert_eq!(
        super::siblings::compare(&sibling("t", "x", &this), &all[..3], policy, &rules.siblings).ruling.status,
        NotApplicable
    );
    // Another engine or no drafting is no sibling.
    let other = launch("vllm serve m --a 1");
    assert_eq!(super::siblings::compare(&sibling("t", "x", &other), &all, policy, &rules.siblings).siblings, 0);
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
#[allow(clippy::disallowed_methods)]
fn the_siblings_of_the_corpus() {
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus");
    let contents = std::fs::read_to_string(format!("{corpus}/scenarios/2550-siblings/2550/contents.json")).unwrap();
    let contents: BTreeMap<String, String> = serde_json::from_str(&contents).unwrap();
    let (policy, rules) = params();
    let read = |side: &str| -> Vec<(String, Launch)> {
        let of_side = contents.iter().filter(|(key, _)| key.starts_with(side) && key.ends_with(".sh"));
        of_side
            .map(|(key, blob)| {
                let name = key.rsplit('/').next().unwrap().to_owned();
                let text = std::fs::read_to_string(format!("{corpus}/blobs/{blob}")).unwrap();
                let launch = script::read(&name, &text, policy, &BTreeMap::new());
                (name, launch)
            })
            .collect()
    };
    let main = read("main:");
    assert_eq!(main.len(), 14);
    let head = read("e36439994615e02aaaf042482234dc7060a6126d:");
    let (name, new) = head.iter().find(|(name, _)| !main.iter().any(|(known, _)| known == name)).unwrap();
    assert!(main.iter().chain(&head).all(|(_, launch)| launch.problems.is_empty() && launch.servers.len() == 1));
    assert_eq!(super::chat_template::judge(new, policy, &rules.chat_template, true).status, Fail);
    let all: Vec<Sibling> = main.iter().map(|(name, launch)| sibling(name, name.split('_').next().unwrap(), launch)).collect();
    let compared =
        super::siblings::compare(&sibling(name, name.split('_').next().unwrap(), new), &all, policy, &rules.siblings);
    let told: Vec<_> = compared.drifts.iter().map(|d| (d.name.as_str(), d.level, d.all, d.same_prefix)).collect();
    assert_eq!(
        told,
        [
            ("--use-chat-template", Level::Warning, Share { have: 14, of: 14 }, Share { have: 7, of: 7 }),
            ("SGLANG_ENABLE_SPEC_V2", Level::Notice, Share { have: 8, of: 14 }, Share { have: 2, of: 7 }),
        ]
    );
    assert_eq!(compared.ruling.status, Warn);
    for (_, launch) in &main {
        assert_eq!(super::chat_template::judge(launch, policy, &rules.chat_template, true).status, Pass);
    }
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
#[allow(clippy::disallowed_methods)]
fn the_real_recipes_are_judged() {
    let folder =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/benchmarks/multi_node/srt-slurm-recipes/");
    let (policy, rules) = params();
    let table = [
        ("trtllm/glm5.2/gb300-fp4/agentic/dynamo-disagg-gb300-6p1d-dep8-c227-b16-mtp3.yaml", true, Pass, Pass, Pass, Fail),
        ("sglang/glm5.2/gb200-fp4/agentic/agg-gb200-tp8-c4-mtp.yaml", true, Pass, Pass, Fail, Pass),
        ("sglang/dsr1/b200-fp4/8k1k/disagg/mtp/8k1k_mtp_4p1d_c2048.yaml", false, Pass, NotApplicable, Pass, Pass),
        (
            "vllm/kimi-k3/agentic/agg-gb200-tp8pp2-mooncake-c72-agentic.yaml",
            true,
            NotApplicable,
            NotApplicable,
            NotApplicable,
            Pass,
        ),
    ];
    for (path, agentic, chat, golden, draft, hacks) in table {
        let text = std::fs::read_to_string(format!("{folder}{path}")).unwrap();
        let launch = recipe::read(path, &text, None, policy).remove(0);
        let curve = Curve { name: "glm5.2_mtp thinking_on", at: &curve };
        let workload = Workload { agentic, stated: false, injected: false, settings: &[], curve: Some(curve) };
        let said = [
            super::chat_template::judge(&launch, policy, &rules.chat_template, false),
            super::golden::judge(&launch, policy, &rules.golden, &workload),
            super::draft::judge(&launch, policy, &rules.draft, false),
            super::hacks::forbidden(&launch, &rules.hacks).unwrap_or_else(|| super::hacks::judge(&launch, &rules.hacks)),
        ];
        assert_eq!(said.each_ref().map(|ruling| ruling.status), [chat, golden, draft, hacks], "{path}: {said:#?}");
    }
}

#[test]
fn major_arguments_are_compared_by_name_and_value() {
    use super::major::Agreement::{Different, Extra, Missing, Open, Same};
    let (policy, rules) = params();
    let ours = launch(
        "sglang serve --model-path m --tp 8 --ep-size $EP --kv-cache-dtype fp8_e4m3 --enable-dp-attention --chunked-prefill-size 8 --quantization fp8",
    );
    let theirs = launch(
        "python -m sglang.launch_server --model M --tensor-parallel-size 8 --ep 8 --kv-cache-dtype auto --attention-backend fa3 --enable-dp-attention=true",
    );
    let compared = super::major::compare(&ours, &[&theirs], policy, &rules.major);
    let told: Vec<_> = compared.iter().map(|one| (one.name.as_str(), one.agreement)).collect();
    assert_eq!(
        told,
        [
            ("model", Same),
            ("tensor-parallel-size", Same),
            ("expert-parallel-size", Open),
            ("enable-dp-attention", Same),
            ("quantization", Missing),
            ("kv-cache-dtype", Different),
            ("attention-backend", Extra),
        ]
    );
    let more = launch("sglang serve --model-path m $MORE");
    let open = super::major::compare(&ours, &[&more], policy, &rules.major);
    assert!(open.iter().any(|one| one.name == "quantization" && one.agreement == Open), "{open:?}");
    // Of several deployments one may agree; then nothing differs.
    let page = launch("sglang serve --model-path m --tp 4\nsglang serve --model-path m --tp 8 --kv-cache-dtype auto");
    let many = super::major::compare(&ours, &[&more, &page], policy, &rules.major);
    let told = |name: &str| many.iter().find(|one| one.name == name).map(|one| (one.agreement, one.others));
    assert_eq!(told("tensor-parallel-size"), Some((Same, 1)));
    assert_eq!(told("kv-cache-dtype"), Some((Different, 0)));
}

proptest! {
    #[test]
    fn no_text_makes_a_rule_panic(text in "(?s)[ -~\n]{0,200}") {
        let (policy, rules) = params();
        let launch = script::read("s", &text, policy, &BTreeMap::new());
        let _ = super::chat_template::judge(&launch, policy, &rules.chat_template, true);
        let _ = super::draft::judge(&launch, policy, &rules.draft, true);
        let _ = super::hacks::judge(&launch, &rules.hacks);
        let _ = super::hacks::forbidden(&launch, &rules.hacks);
        let _ = super::patches::approval(&text, &rules.patches);
        for path in ["a.sh", "a.py", "a.yaml"] {
            let _ = patched(path, &text);
        }
    }
}
