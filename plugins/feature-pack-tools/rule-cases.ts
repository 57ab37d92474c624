import { isDeepStrictEqual } from "node:util";
import { isJsonObject, isSvcError, type JsonObject, type JsonValue, stringifyJson } from "../../core/contract/index.ts";
import {
	findCaseFiles,
	type PackTest,
	type Principal,
	type ReadCase,
	type RuleTestOutcome,
	readCases,
	ruleTestCaseAttributes,
	testsOf,
} from "../../core/feature.ts";
import type { DryRunPacks } from "./dry-run-packs.ts";
import type { PackInspection } from "./inspect-pack.ts";

const folder = "tests/rules";
const kind = "rule";

/**
 * Returns the test cases of a pack's rules. Each checks, like `svc rule test`, whether a rule matches a payload and with which parameters
 * it acts.
 */
export async function findRuleTests({ ref, directory, files }: PackInspection, drafted: DryRunPacks): Promise<readonly PackTest[]> {
	const tests: PackTest[] = [];
	for (const { file, subject } of findCaseFiles(files, folder)) {
		const toTest = (one: ReadCase): PackTest => {
			const rule = `${ref}.${String(one.given["rule"] ?? subject)}`;
			return { kind, file, name: one.name, run: () => runCase(rule, one, drafted) };
		};
		tests.push(...(await testsOf(kind, file, async () => (await readCases(directory, file, ruleTestCaseAttributes)).map(toTest))));
	}
	return tests;
}

async function runCase(ref: string, { given, expect }: ReadCase, { config, engine }: DryRunPacks): Promise<readonly string[]> {
	const { rules, datastore } = engine;
	if (rules === undefined) return ["the configuration does not include rules"];
	const tester: Principal = { username: config.options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	const items = Object.entries((given["datastore"] ?? {}) as JsonObject);
	for (const [name, value] of items) await datastore?.set(name, { value: toItemText(value), scope: "system" }, tester);
	try {
		const { rule } = await rules.get(ref);
		const triggerInstance = { trigger: rule.trigger, payload: given["payload"] as JsonObject };
		return compare(await rules.test({ rule: ref, triggerInstance }, tester), expect);
	} catch (error) {
		if (!isSvcError(error, "SVC_NOT_FOUND")) throw error;
		return [`rule "${ref}" does not exist; hint: \`svc pack check\` shows why a rule of the pack is skipped`];
	} finally {
		for (const [name] of items) await datastore?.remove(name, { scope: "system" }, tester);
	}
}

/** Returns a string unchanged, and any other value as JSON, because datastore items are strings. */
function toItemText(value: JsonValue): string {
	return typeof value === "string" ? value : stringifyJson(value);
}

function compare(outcome: RuleTestOutcome, { matches = true, parameters, criterion }: JsonObject): readonly string[] {
	if (outcome.matched !== matches) {
		return [outcome.matched ? "expected the rule not to match, but it matches" : `the rule does not match: ${outcome.reason}`];
	}
	if (outcome.matched) {
		if (!isJsonObject(parameters) || isDeepStrictEqual(outcome.parameters, parameters)) return [];
		return [`parameters: expected ${stringifyJson(parameters)}\n            got ${stringifyJson(outcome.parameters)}`];
	}
	const failed = outcome.failed?.key ?? null;
	if (typeof criterion !== "string" || failed === criterion) return [];
	return [`expected criterion "${criterion}" not to match, but: ${outcome.reason}`];
}
