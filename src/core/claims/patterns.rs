//! The words that claims are made of.
//! Must not know: what a match is used for.

use regex::Regex;
use std::sync::LazyLock;

macro_rules! patterns {
    ($($(#[$doc:meta])* $name:ident = $pattern:expr;)+) => {
        $($(#[$doc])* pub(super) static $name: LazyLock<Regex> = LazyLock::new(|| compile($pattern));)+

        #[cfg(test)]
        mod tests {
            #[test]
            fn every_pattern_compiles() {
                $(assert!(!super::$name.as_str().is_empty());)+
            }
        }
    };
}

/// The patterns are constants of this file, and a test compiles every one.
#[allow(clippy::expect_used)]
fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern of ours")
}

patterns! {
    ADDRESS = r"https?://[^\s)>\]]+";
    /// Where a sentence ends, the stop included.
    STOP = r"[.!?;](?:\s+|$)|[。；！？]";
    /// Stops that end no sentence.
    ABBREVIATION = r"(?i)(?:\b(?:vs|e\.g|i\.e|approx|conc|resp|ca|cf|incl)|\bno)\.$";

    /// A number with the letter of its scale, and what measures it.
    LEVEL = r"(?xi)
        (?P<number> \d{1,3}(?:,\d{3})+(?:\.\d+)? | \d+(?:\.\d+)? ) (?P<scale>[km]\b)? \s*
        (?: (?P<side> output | input | total | decode | prefill ) \s+ )?
        (?: (?P<gpu> (?:tok(?:en)?s?|tps) \s*(?:/|\bper\b)\s* (?:s(?:ec(?:ond)?)? \s*(?:/|\bper\b)\s*)? gpu \b )
          | (?P<user> (?:tok(?:en)?s?|tps) \s*(?:/|\bper\b)\s* (?:s(?:ec(?:ond)?)? \s*(?:/|\bper\b)\s*)? user \b )
          | (?P<system> tok(?:en)?s? \s*(?:/|\bper\b)\s* s(?:ec(?:ond)?)? \b | tps \b )
          | (?P<ms> ms \b ) | (?P<s> s \b | sec(?:onds?)? \b ) )";
    /// What a heading measures.
    METRIC = r"(?xi)
        (?P<gpu> (?:tok(?:en)?s?|tps) \s*(?:/|\bper\b)\s* (?:s(?:ec(?:ond)?)? \s*(?:/|\bper\b)\s*)? gpu \b
               | (?:throughput|tput) (?: \s*(?:/|\bper\b)\s* gpu \b )? )
        | (?P<user> (?:tok(?:en)?s?|tps) \s*(?:/|\bper\b)\s* (?:s(?:ec(?:ond)?)? \s*(?:/|\bper\b)\s*)? user \b
               | \b(?:interactivity|intvty)\b )
        | (?P<latency> \b(?:ttft|tpot|itl|e2e\s?l(?:atency)?|e2e(?:\s+latency)?|end-to-end\s+latency)\b )";
    LATENCY = r"(?i)\b(?:ttft|tpot|itl|e2el?|end-to-end)\b";
    STATISTIC = r"(?i)\b(?:(?P<mean>mean|avg|average)|(?P<median>median|p50)|p(?P<percentile>75|90|95|99\.9|99))\b";
    SIDE = r"(?i)\b(?:(?P<output>output|decode)|(?P<input>input|prefill))\b";
    /// Between a latency's name and its number nothing else may stand.
    LINK = r"(?xi) ^ (?: \b(?:latency|time|of|is|at|was|to|drops?|falls?|from|median|mean|avg|p50|p75|p90|p95|p99)\b | [\s:=(),~≈] )* $";
    /// A unit or percentage of a list of concurrencies makes it none.
    NOT_A_COUNT = r"(?xi) ^ (?: \.\d | \d | [kx]\b | \s?(?:%|[×→]) | \s?(?:tok|tps|ms\b|s\b|gpus?\b|rows?\b|points?\b|runs?\b|nodes?\b|samples?\b) )";

    PERCENT = r"(?P<sign>[+\-−–])?\s?(?P<number>\d+(?:\.\d+)?)\s?%";
    FACTOR = r"(?P<number>\d+(?:\.\d+)?)\s?[x×](?:\b|\s|$)";
    /// The words that give an unsigned percentage a direction.
    BETTER_OR_WORSE = r"(?xi) \b (?: faster | slower | higher | lower | better | worse | more | less | fewer | increases? | decreases? | improve(?:s|d|ments?)?
        | gains? | reduc(?:es?|ed|tions?) | uplift | drops? | speed-?ups? | regress(?:es|ed|ions?)? ) \b";
    /// Quantities that no row tells.
    OTHER = r"(?xi) \b (?: cost | price | power | energy | watts? | joules? | memory | hbm | vram | dram | hit[\x20-]rate | acceptance | accuracy | scores?
        | startup | load(?:ing)? | compile | duration | wall[\x20-]?clock | qps | goodput | utili[sz]ation | capacity | size | lines? ) \b";
    BARE_NUMBER = r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<scale>[kKM]\b)?";
    /// A second number of a pair, whose unit the text leaves out.
    AT_NUMBER = r"^\s+at\s+(?P<number>\d+\.\d+)(?P<rest>.?)";
    /// The words before a number that make it a bound or a guess.
    LOOSE = r"(?xi) (?: [~≈<>≥≤] =? | \b (?: about | around | approx(?:imately|\.)? | roughly | nearly | almost | circa | ca\.? | over | (?:more|less|fewer|greater) \s+ than
        | above | below | under | at \s+ (?:least|most) | up \s+ to | as \s+ (?:high|low|much) \s+ as ) ) \s* [+\-−]? $";
    FROM = r"(?i)\bfrom\s*$";

    CONCURRENCY = r"(?i)(?:\b(?:concurrency|concurrencies|conc\.?)\s*(?:of|=|:)?\s*|并发(?:度|数)?\s*|\bc)(?P<number>\d{1,5})\b";
    CONCURRENT = r"(?i)\b(?P<number>\d{1,5})[ -](?:concurrency|concurrent)\b";
    AT_COUNT = r"(?i)\bat\s+(?P<number>\d{1,5})\b";
    AND_COUNT = r"(?i)^(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*/\s*|\s*&\s*)(?:c|concurrency\s+)?(?P<number>\d{1,5})\b";
    /// What makes a number the first of a range.
    TO_COUNT = r"(?i)^\s*(?:to|through|[-–—]|\.\.\.?|…)\s*c?\d";
    CONCURRENCY_HEAD = r"(?i)^\W*(?:max\w*\s+)?(?:conc|concurrency|concurrent|users?|并发\w*)\b";
    COUNTS = r"^\W*(?:[cC])?(\d{1,5})\W*$";

    SHAPE = r"(?xi) \b (?: (?P<kind> te | de ) p \s? (?P<both>\d{1,3}) | tp \s?=?\s? (?P<tp>\d{1,3}) (?: [\s/,]+ ep \s?=?\s? (?P<ep>\d{1,3}) )? (?P<dpa> /dpa )? ) \b";
    AGAINST = r"(?i)\b(?:against|vs\.?|versus|over|than|compared\s+(?:to|with)|relative\s+to|baseline)\b";
    SKU = r"(?i)\b(?:gb[23]00|[bh][123]00|mi\d{3}x?|rtx\w*)\b";
    FRAMEWORK = r"(?i)\b(?:sglang|vllm|trt(?:-?llm)?|tensorrt(?:-llm)?|atom|tilert|llm-d)\b";
    PRECISION = r"(?i)\b(?:nvfp4|mxfp4|fp4|fp8|bf16|fp16|int4|int8)\b";
    LENGTHS = r"(?i)\b(?P<isl>[18])k\s?/?\s?(?P<osl>[18])k\b";
    THIS_RUN = r"(?i)\b(?:same|this)\s+(?:run|sweep)\b";
    /// The number may be of another run than the one at hand.
    ELSEWHERE = r"(?xi) \b (?: publish(?:ed|es)? | previous(?:ly)? | before | earlier | former(?:ly)? | prior | baseline | reference | dashboard | old(?:er)?
        | local(?:ly)? | same[\x20-]node | expect(?:ed|s)? | project(?:ed|s)? | target(?:s|ed)? | theoretical | main | was | were | used\x20to | another | last
        | separate | ablations? | internal(?:ly)? | without | other | official | historical(?:ly)? | estimat(?:ed|e|es) | initial(?:ly)? | should | would | until
        | fail(?:s|ed)? | report(?:s|ed)? | dropped | because | instead | fix(?:es|ed)? | run\s+\d{6,} | offload\w* | dram | resident ) \b";
    NOT_USED = r"(?i)\b(?:not|no|never|unlike|instead|without|before|previous(?:ly)?|until|since|older|from|than|regress\w*|broken|fails?|failed|avoid\w*|revert\w*|if|after|because)\b|n't\b";

    TASK = r"(?i)\b(?:gsm8k|gpqa(?:[ _-]diamond)?|swe-?bench(?:[ _-]?(?:lite|verified))?|mmlu(?:[ _-]?pro)?|aime(?:\s?\d+)?|math-?500|humaneval|ruler|bfcl|cruxeval)\b";
    SCORE = r"(?P<number>\d{1,3}(?:\.\d+)?\s?%|0\.\d{2,}|1\.0+)";
    METRIC_OF_TASK = r"(?i)\b(?P<word>strict|flexible)\b";
    /// Between a task's name and its score.
    SCORE_LINK = r"(?xi) ^ (?: \b(?:strict|flexible|match|extract|score[sd]?|accuracy|of|is|at|to|em|exact|from|and|between|8k1k|reache[sd]|hits?|gets?|remains?|stays?|holds?|improve[sd]?|moves?|moved|goes|went|rises?|rose|falls?|fell|changes?|changed|up|down)\b | [\s:=(),~≈|±\-–—/] )* $";
    /// Heads of columns that hold bars, not scores.
    BAR_HEAD = r"(?i)\b(?:bar|threshold|minimum|limit|gate)\b";
    HEAD_UNIT = r"(?i)[\s(\[](?:(?P<ms>ms)|s|sec|seconds)\b";
    /// The end of a range: `4-64`.
    SPAN = r"\d\s?[-–—]\s?$";
    BETWEEN_SCORES = r"(?i)^\s*(?:to|and|-|–|—|\.\.\.?|…)\s*$";
    BAR = r"(?i)(?:\b(?:bar|threshold|minimum|min|limit|floor|gate|stderr|se|ci)\b\s*(?:of|is|was|:|=)?|[≥±>]=?|\+/-)\s*$";

    IMAGE = r"[A-Za-z0-9][A-Za-z0-9._-]*(?:[/#][A-Za-z0-9._-]+)+(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9._-]*))";
    USED = r"(?i)(?:\b(?:on|using|uses|used|use|with|to|image|images|is|tag)\b|→|->)[\s:=]*$";
    CONFIG = r"\b[a-z][a-z0-9.]*-(?:nvfp4|mxfp4|fp4|fp8|bf16|fp16|int4|int8)-[a-z0-9]+(?:-[a-z0-9.]*[a-z0-9])+\b";
    ACCEPTANCE = r"(?i)\b(?:acceptance[ -]lengths?|accept(?:ed)?[ -]len(?:gth)?|AL)\b[^0-9.;]{0,16}(?P<number>\d+\.\d+)";
    VERSION = r"\b(?:v(?P<short>\d+\.\d+(?:\.\d+)*(?:[.-]?(?:rc|post|dev)\d+)?)|(?P<long>\d+\.\d+\.\d+(?:\.\d+)*(?:[.-]?(?:rc|post|dev)\d+)?))\b";
    IMAGE_TO = r"(?i)\bimages?\s+(?:update[sd]?\s+)?to\s*$";
}
