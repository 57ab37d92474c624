import { readFile, stat } from "node:fs/promises";
import {
	isSvcError,
	type JsonObject,
	type RunContext,
	type RunResult,
	SvcError,
	stringifyJson,
	toErrorMessage,
} from "../../../core/contract/index.ts";
import { read } from "../chain-definitions.ts";
import { maxDefinitionLength } from "../definition/chain-source.ts";
import { readChain } from "../definition/read-chain.ts";
import type { ChainParameters } from "../parameters.ts";
import { type ChainEntry, toChainEntries, toEntry } from "./chain-entries.ts";
import { toChainResult } from "./chain-result.ts";
import { ChainState } from "./chain-state.ts";
import { render } from "./render.ts";
import { keptResults } from "./task-results.ts";
import { variablesForVars } from "./template-variables.ts";

/** State of a chain that starts or is recovered, or the result of a chain that could not start. */
export type ChainStart = { readonly state: ChainState } | { readonly refused: RunResult };

export async function beginChain(context: RunContext<ChainParameters>): Promise<ChainStart> {
	const entries = toChainEntries(await context.journal.read());
	return entries.length > 0 ? { state: await restore(context, entries) } : beginAnew(context);
}

async function beginAnew(context: RunContext<ChainParameters>): Promise<ChainStart> {
	const text = await readDefinition(context.entryPoint);
	const state = new ChainState(await read(text, context.action_ref));
	let vars: JsonObject;
	try {
		vars = (await render(context, state.chain.vars, variablesForVars(context))) as JsonObject;
	} catch (cause) {
		if (context.signal.aborted) return { refused: { succeeded: false, result: toChainResult(state, { published: true }) } };
		const error = new SvcError("SVC_INVALID", `Failed initializing \`\`vars\`\` in chain. ${toErrorMessage(cause)}`, { cause });
		return { refused: { succeeded: false, result: toChainResult(state, { published: true, error }) } };
	}
	const entry: ChainEntry = { type: "begin", definition: text, vars };
	await context.journal.append(toEntry(entry));
	state.apply(entry);
	return { state };
}

async function readDefinition(path: string): Promise<string> {
	const { size } = await stat(path);
	// A character has at most four bytes in UTF-8.
	if (size > 4 * maxDefinitionLength) throw new SvcError("SVC_INVALID", `a chain may have at most ${maxDefinitionLength} characters`);
	return readFile(path, "utf8");
}

async function restore({ children }: Pick<RunContext, "children">, entries: readonly ChainEntry[]): Promise<ChainState> {
	const [first] = entries;
	if (first?.type !== "begin") throw new SvcError("SVC_RUNNER", "the journal of the chain does not begin with its definition");
	const results = await readResults(entries, async (id) => {
		try {
			return await children.result(id);
		} catch (error) {
			// The records of the execution may have been deleted since.
			if (isSvcError(error, "SVC_NOT_FOUND")) return null;
			throw error;
		}
	});
	return replay(entries, results);
}

/**
 * Rebuilds the state of a chain from its journal.
 * @param results Available results of the tasks, by execution id.
 */
export function replay(entries: readonly ChainEntry[], results: ReadonlyMap<string, JsonObject> = new Map()): ChainState {
	const state = new ChainState(readChain(entries[0]?.type === "begin" ? entries[0].definition : ""));
	for (const entry of entries) state.apply(entry, results.get(state.open?.executionId ?? "") ?? {});
	return state;
}

/**
 * Reads the results that `TaskResults` keeps, and those from which values were published by reference, starting with the newest. Returns
 * them by execution id.
 */
async function readResults(
	entries: readonly ChainEntry[],
	read: (id: string) => Promise<JsonObject | null>,
): Promise<ReadonlyMap<string, JsonObject>> {
	const results = new Map<string, JsonObject>();
	const seen = new Set<string>();
	let [characters, isCopied, hasEnded] = [0, false, false];
	for (const entry of [...entries].reverse()) {
		if (entry.type === "end") [hasEnded, isCopied] = [true, entry.copied !== undefined];
		if (entry.type !== "start") continue;
		const isKept = results.size < keptResults.count && characters <= keptResults.characters;
		if (hasEnded && (isKept || isCopied || !seen.has(entry.name))) {
			const result = (await read(entry.execution_id)) ?? {};
			results.set(entry.execution_id, result);
			characters += stringifyJson(result).length;
		}
		seen.add(entry.name);
		[hasEnded, isCopied] = [false, false];
	}
	return results;
}
