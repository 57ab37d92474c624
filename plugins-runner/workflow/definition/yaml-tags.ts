import { Scalar, type ScalarTag, type Tags } from "yaml";
import { exactNumberTags } from "../../../core/contract/index.ts";

/** Words of YAML 1.1 for true and false; its single letters are texts everywhere else, and here. */
const trueWords = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseWords = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;

const boolean = (value: boolean, test: RegExp): ScalarTag => ({
	tag: "tag:yaml.org,2002:bool",
	default: true,
	identify: (each) => each === value,
	test,
	resolve: () => new Scalar(value),
});

/** Kinds that JSON has no value for, so that a date stays the text that it is; and merge keys, which `ValueReader` resolves. */
const leftOut = new Set(["bool", "binary", "merge", "omap", "pairs", "set", "timestamp"].map((name) => `tag:yaml.org,2002:${name}`));

/** The kinds of values that YAML 1.1 knows, as far as JSON has them. */
export const yamlTags = (tags: Tags): Tags => [
	boolean(true, trueWords),
	boolean(false, falseWords),
	...exactNumberTags(tags.filter((tag) => typeof tag === "string" || !leftOut.has(tag.tag))),
];
