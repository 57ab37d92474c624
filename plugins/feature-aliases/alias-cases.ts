import { isDeepStrictEqual } from "node:util";
import { isSvcError, type JsonObject, parseJson, type Storage, SvcError, stringifyJson } from "../../core/contract/index.ts";
import { findCaseFiles, type PackSource, type PackTest, type ReadCase, readCases, testsOf, withWorkBudget } from "../../core/feature.ts";
import { toRepresentations } from "./alias-formats.ts";
import { aliasCaseShape } from "./alias-test-case-exports.ts";
import type { AliasInput } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";
import { type CommandValues, createAliasFormat } from "./format/alias-format.ts";
import { readCommand } from "./format/command-text.ts";

const folder = "tests/aliases";
const kind = "alias";

/** Returns the test cases of a pack's aliases. Each checks whether a command matches, and the action and parameters that it requests. */
export async function findAliasTests({ ref, directory, files }: PackSource, storage: Storage): Promise<readonly PackTest[]> {
	const aliases = await storage.find("action_alias", { where: { pack: ref } });
	const tests: PackTest[] = [];
	for (const { file, subject } of findCaseFiles(files, folder)) {
		const toTest = (one: ReadCase): PackTest => {
			const alias = `${ref}.${String(one.given["alias"] ?? subject)}`;
			const name = String(one.given["name"] ?? one.given["command"]);
			return { kind, file, name, run: async () => runCase(alias, one, aliases) };
		};
		tests.push(...(await testsOf(kind, file, async () => (await readCases(directory, file, aliasCaseShape)).map(toTest))));
	}
	return tests;
}

function runCase(ref: string, { given, expect }: ReadCase, aliases: readonly ActionAliasEntity[]): readonly string[] {
	const alias = aliases.find((one) => one.ref === ref);
	if (alias === undefined)
		return [`action alias "${ref}" does not exist; hint: \`svc pack check\` shows why an alias of the pack is skipped`];
	const command = String(given["command"]);
	const read = tryRead(alias, command);
	const { matches = true } = expect;
	if (read === undefined) return matches === true ? ["expected the command to match, but it does not match"] : [];
	if (matches !== true) return [`expected the command not to match, but it matches "${read.representation}"`];
	// A command that matches several aliases is rejected in a chat, so the case fails.
	const others = aliases.filter((one) => one.ref !== ref && one.enabled && tryRead(one, command) !== undefined);
	return [...others.map((other) => `the command also matches "${other.ref}"`), ...compare(read, expect)];
}

function tryRead(alias: ActionAliasEntity, command: string): ReadCommand | undefined {
	try {
		return readAliasCommand(alias, command);
	} catch (error) {
		if (isSvcError(error, "SVC_INVALID")) return undefined;
		throw error;
	}
}

function compare({ action, parameters: all }: ReadCommand, expect: JsonObject): readonly string[] {
	const { action: expectedAction, parameters, executions = parameters === undefined ? undefined : [parameters] } = expect;
	const problems =
		typeof expectedAction === "string" && expectedAction !== action ? [`action: expected ${expectedAction}, got ${action}`] : [];
	// The parameters have no prototype, so they never strictly equal other objects. Serializing and parsing them adds one.
	const got = parseJson(stringifyJson(all)) as readonly JsonObject[];
	if (executions === undefined || isDeepStrictEqual(got, executions)) return problems;
	const [one = {}] = got;
	const isOne = parameters !== undefined && got.length === 1;
	return [
		...problems,
		`parameters: expected ${stringifyJson(isOne ? parameters : executions)}\n            got ${stringifyJson(isOne ? one : got)}`,
	];
}

/** Result of matching a command against an alias. */
export interface ReadCommand {
	readonly action: string;
	/** Representation that the command matches. */
	readonly representation: string;
	/** Parameters of each requested execution, as strings from the command. */
	readonly parameters: readonly CommandValues[];
}

/** Matches a command against a single alias, without a service. Throws `SVC_INVALID` if the command does not match. */
export function readAliasCommand(
	{ name, action_ref, formats }: Pick<AliasInput, "name" | "action_ref" | "formats">,
	command: string,
): ReadCommand {
	const text = readCommand(command);
	const representations = toRepresentations(formats);
	// Representations with `match_multiple` are tried last.
	const inOrder = [...representations.filter(({ isMultiple }) => !isMultiple), ...representations.filter(({ isMultiple }) => isMultiple)];
	for (const { representation, isMultiple } of inOrder) {
		const parameters = withWorkBudget(() => createAliasFormat(representation, isMultiple).read(text));
		if (parameters !== undefined) return { action: action_ref, representation, parameters };
	}
	throw new SvcError("SVC_INVALID", `command: does not match action alias "${name}"`);
}
