import type { PackKind } from "../pack-files-exports.ts";
import type { RegisteredKind } from "./chosen-packs.ts";
import type { RegistrationReport } from "./registration-report.ts";

/**
 * Names of counts, which `types` of a request selects. `one`: singular form, also allowed there. `neededBy`: names that include this count.
 */
const words = {
	runners: { one: "runner", neededBy: ["actions"] },
	rule_types: { one: "rule_type", neededBy: ["rules"] },
	policy_types: { one: "policy_type", neededBy: ["policies"] },
	triggers: { one: "trigger", kind: "trigger_type" },
	sensors: { one: "sensor", kind: "sensor" },
	actions: { one: "action", kind: "action" },
	rules: { one: "rule", kind: "rule" },
	aliases: { one: "alias", kind: "action_alias" },
	policies: { one: "policy", kind: "policy" },
	configs: { one: "config", kind: "config" },
} as const satisfies Record<string, { readonly one: string; readonly kind?: RegisteredKind; readonly neededBy?: readonly string[] }>;

type Word = keyof typeof words;

const all = Object.keys(words) as readonly Word[];

/** Counts and kinds that `types` of a request selects. Unknown names are ignored. */
export class RegistrationKinds {
	readonly #asked: ReadonlySet<string>;

	/** @param types undefined selects all */
	constructor(types: readonly string[] | undefined) {
		const given = new Set(types ?? all);
		this.#asked = new Set(
			types === undefined || given.has("all") ? all : all.filter((word) => given.has(word) || given.has(words[word].one)),
		);
	}

	/** Selected kinds; undefined for all kinds. */
	get kinds(): ReadonlySet<RegisteredKind> | undefined {
		if (this.#asked.size === all.length) return undefined;
		return new Set<RegisteredKind>(
			all.flatMap((word): readonly RegisteredKind[] => {
				const entry = words[word];
				return this.#asked.has(word) && "kind" in entry ? [entry.kind] : [];
			}),
		);
	}

	/** Returns the counts of the selected names and of the names that they depend on. */
	count(report: RegistrationReport, types: { readonly runners: number }): Readonly<Record<string, number>> {
		const counts: Record<string, number> = {};
		for (const word of all) {
			const entry = words[word];
			if ("neededBy" in entry) {
				if (this.#asked.has(word) || entry.neededBy.some((other) => this.#asked.has(other))) {
					counts[word] = word === "runners" ? types.runners : (report.typeCounts.get(word === "rule_types" ? "rule" : "policy") ?? 0);
				}
			} else if (this.#asked.has(word)) {
				counts[word] = entry.kind === "config" ? report.configs : report.countOf(entry.kind);
				const overridden = entry.kind === "config" ? 0 : report.overriddenOf(entry.kind satisfies PackKind);
				if (overridden > 0) counts[`${word}(overridden)`] = overridden;
			}
		}
		return counts;
	}
}
