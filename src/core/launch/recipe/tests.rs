//! The real recipes of the corpus, and variants of our own.
//! Must not know: rules.

use super::*;
use crate::core::policy::tests::policy;
use proptest::prelude::*;
use std::sync::LazyLock;

static POLICY: LazyLock<LaunchPolicy> = LazyLock::new(|| policy().launch.unwrap());

#[allow(clippy::disallowed_methods)]
fn real(path: &str) -> Launch {
    let folder =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/corpus/inferencex/2026-08/benchmarks/multi_node/srt-slurm-recipes/");
    let text = std::fs::read_to_string(format!("{folder}{path}")).unwrap();
    let mut all = read(path, &text, None, &POLICY);
    assert_eq!(all.len(), 1);
    let one = all.remove(0);
    assert_eq!(one.problems, []);
    one
}

fn at(command: &Command, name: &str) -> (String, usize) {
    let found = command.flag(name).or(command.variable(name)).unwrap_or_else(|| panic!("no {name} in {}", command.role));
    (found.value.to_string(), found.line)
}

#[test]
#[cfg_attr(not(shared), ignore = "needs ../shared")]
fn the_real_recipes_are_read() {
    let trt = real("trtllm/glm5.2/gb300-fp4/agentic/dynamo-disagg-gb300-6p1d-dep8-c227-b16-mtp3.yaml");
    assert_eq!(trt.engine.as_deref(), Some("trt"));
    assert_eq!(trt.servers.iter().map(|server| server.role.as_str()).collect::<Vec<_>>(), ["prefill", "decode"]);
    // Both environments are one block, written once.
    for server in &trt.servers {
        assert_eq!(at(server, "TLLM_SPEC_DECODE_FORCE_NUM_ACCEPTED_TOKENS"), ("1.99".to_owned(), 48));
        assert_eq!(at(server, "speculative-config.max-draft-len").0, "3");
        assert!(POLICY.is_speculative(server));
    }
    assert_eq!(trt.clients[0].program, "agentic replay");
    assert_eq!(at(&trt.clients[0], "MAX_MODEL_LEN").0, "1048576");
    assert!(trt.settings.iter().any(|setting| setting.name == "backend.publish_events_and_metrics"));

    let agg = real("sglang/glm5.2/gb200-fp4/agentic/agg-gb200-tp8-c4-mtp.yaml");
    assert_eq!((agg.engine.as_deref(), agg.servers.len()), (Some("sglang"), 1));
    assert_eq!(agg.servers[0].role, "aggregated");
    assert_eq!(at(&agg.servers[0], "SGLANG_SIMULATE_ACC_LEN").0, "3.33");
    assert_eq!(at(&agg.servers[0], "speculative-num-steps").0, "4");
    assert_eq!(at(&agg.clients[0], "use-chat-template").0, "true");

    // It states no type: its flags say which engine it is.
    let disagg = real("sglang/dsr1/b200-fp4/8k1k/disagg/mtp/8k1k_mtp_4p1d_c2048.yaml");
    assert_eq!(disagg.engine.as_deref(), Some("sglang"));
    let drafting: Vec<bool> = disagg.servers.iter().map(|server| POLICY.is_speculative(server)).collect();
    assert_eq!(drafting, [false, true]);
    assert_eq!(disagg.clients[0].program, "sa-bench");

    let vllm = real("vllm/kimi-k3/agentic/agg-gb200-tp8pp2-mooncake-c72-agentic.yaml");
    assert_eq!(vllm.engine.as_deref(), Some("vllm"));
    assert_eq!(at(&vllm.servers[0], "kv-transfer-config.kv-connector").0, "MooncakeStoreConnector");
    assert!(!POLICY.is_speculative(&vllm.servers[0]));
}

const VARIANTS: &str = "\
base:
  schema: 2
  name: x
  engine: {type: vllm, connector: null}
  roles:
    agg:
      args: {tensor-parallel-size: 8, speculative-config: '{\"method\": \"mtp\", \"num_speculative_tokens\": 3}', list: [1, 2]}
      env: {A: '1', B: '2'}
  benchmark: {type: custom, command: bash /x/srt_agentic.sh, env: {CONC: '1'}}
override_plain:
  roles: {agg: {args: {speculative-config: null, list: [3]}, env: {B: '5'}}}
zip_override_conc:
  roles: {agg: {args: {tensor-parallel-size: [4, 2]}}}
  benchmark: {env: {CONC: ['8', '16']}}
";

#[test]
fn flags_are_read_after_the_override_is_laid_on() {
    let one = |selector: &str| {
        let all = read("r.yaml", VARIANTS, Some(selector), &POLICY);
        assert_eq!((all.len(), &all[0].problems), (1, &vec![]), "{selector}");
        all[0].clone()
    };
    let value = |launch: &Launch, name: &str| {
        let server = &launch.servers[0];
        server.flag(name).or(server.variable(name)).map(|setting| (setting.value.to_string(), setting.line))
    };
    let base = one("base");
    assert_eq!(value(&base, "speculative-config.num-speculative-tokens"), Some(("3".into(), 7)));
    assert!(POLICY.is_speculative(&base.servers[0]));
    assert_eq!((base.engine.as_deref(), base.servers[0].role.as_str()), (Some("vllm"), "aggregated"));
    let plain = one("override_plain");
    assert_eq!(plain.path, "r.yaml:override_plain");
    assert_eq!(value(&plain, "speculative-config"), None);
    assert!(!POLICY.is_speculative(&plain.servers[0]));
    assert_eq!(value(&plain, "list"), Some(("[3]".into(), 11)));
    assert_eq!(value(&plain, "A"), Some(("1".into(), 8)));
    assert_eq!(value(&plain, "B"), Some(("5".into(), 11)));
    let second = one("zip_override_conc[1]");
    assert_eq!(value(&second, "tensor-parallel-size"), Some(("2".into(), 13)));
    assert_eq!(second.clients[0].variable("CONC").unwrap().value.to_string(), "16");
    assert_eq!(second.clients[0].program, "agentic replay");
    for (selector, count) in [(None, 3), (Some("zip_override_conc"), 2), (Some("*conc"), 2), (Some("override_*"), 1)] {
        assert_eq!(read("r.yaml", VARIANTS, selector, &POLICY).len(), count, "{selector:?}");
    }
}

#[test]
fn what_cannot_be_read_is_a_problem_and_no_launch() {
    let table = [
        (VARIANTS, Some("override_none"), "no variant is called `override_none`"),
        (VARIANTS, Some("zip_override_conc[2]"), "no variant"),
        ("name: x\nbackend: {type: vllm, vllm_config: {aggregated: {a: 1}}}", Some("override_x"), "has no variants"),
        ("a: [", None, ""),
        ("- a", None, "a map of keys"),
        ("base: {}\nzip_override_x: {a: [1, 2], b: [1, 2, 3]}", None, "differ in length"),
        ("base: {}\nzip_override_x: {a: 1}", None, "nothing to zip"),
        ("name: x", None, "no role"),
        ("backend: {type: new, new_config: {decode: {a: 1}}, decode_environment: {A: 1}}", None, "which engine"),
    ];
    for (text, selector, word) in table {
        let all = read("r", text, selector, &POLICY);
        assert_eq!(all.len(), 1, "{text}");
        assert!(all[0].problems.iter().any(|problem| problem.message.contains(word)), "{text}: {:?}", all[0].problems);
    }
}

#[test]
fn globs() {
    for (pattern, text, want) in
        [("a*c", "abbc", true), ("a?c", "abc", true), ("*", "", true), ("a*", "ba", false), ("abc", "abc", false)]
    {
        assert_eq!(glob(pattern, text), want, "{pattern} {text}");
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in "(?s)[ab:\\-{}\\[\\],'\" \n&*<0-9]{0,200}", selector in prop::option::of("[a-z_*?\\[\\]0-9]{0,12}")) {
        let _ = read("r", &text, selector.as_deref(), &POLICY);
    }

    #[test]
    fn pieces_of_a_recipe_never_panic(at in 0usize..VARIANTS.len(), to in 0usize..VARIANTS.len()) {
        let _ = read("r", &VARIANTS[at.min(to)..at.max(to)], None, &POLICY);
    }
}
