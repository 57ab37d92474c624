import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Expressions, JsonObject, Runner, RunResult } from "../../core/contract/index.ts";
import { createExpressions } from "../../core/language/expressions/expressions.ts";
import type { ChildEnd, TestChild } from "../../core/testing/run-children.ts";
import { createRunContext, type RunContextOptions, type TestRunContext } from "../../core/testing/run-context.ts";
import { actionChain } from "./index.ts";
import type { ChainParameters } from "./parameters.ts";

/** Those of the host, without a datastore. */
export const chainExpressions: Expressions = createExpressions();

/** A directory for the definitions of a test file. */
export class ChainFiles {
	readonly #directory = realpathSync(mkdtempSync(join(tmpdir(), "svc chains ")));
	#count = 0;

	write(definition: string | JsonObject): string {
		const file = join(this.#directory, `chain-${++this.#count}.yaml`);
		writeFileSync(file, typeof definition === "string" ? definition : JSON.stringify(definition));
		return file;
	}

	remove(): void {
		rmSync(this.#directory, { recursive: true });
	}
}

/** What becomes of the executions of a chain: by the name of the task, the first one first. What is not named succeeds. */
export type Script = Readonly<Record<string, ChildEnd | readonly ChildEnd[]>>;

export type ChainOptions = RunContextOptions<ChainParameters> & { readonly script?: Script };

export type ChainContext = TestRunContext<ChainParameters>;

export function createChainContext(entryPoint: string, { script = {}, ...options }: ChainOptions = {}): ChainContext {
	const context = createRunContext(
		{ parameters: createRunner().parameters as ChainParameters },
		{
			entryPoint,
			expressions: chainExpressions,
			onChild: (child) => {
				const ends = [script[nameOf(child)] ?? {}].flat();
				const before = context.children.started.filter((other) => nameOf(other) === nameOf(child)).length;
				const end = ends[Math.min(before, ends.length) - 1] as ChildEnd;
				return end.status === "running" ? undefined : end;
			},
			...options,
		},
	);
	return context;
}

export function nameOf({ key }: Pick<TestChild, "key">): string {
	return key.replace(/\.\d+$/, "");
}

export function createRunner(): Runner<ChainParameters> {
	return actionChain().create() as Runner<ChainParameters>;
}

/** Names of the tasks of a result, with their states. */
export function tasksOf({ result }: Pick<RunResult, "result">): readonly string[] {
	return (result["tasks"] as readonly JsonObject[]).map(({ name, state }) => `${String(name)} ${String(state)}`);
}

/** Resolves when the run has a child of this key, in this status where one is given. */
export async function untilChild({ children }: ChainContext, wanted: { readonly key?: string; readonly status?: string }): Promise<void> {
	for await (const { key, status } of children.changes({ signal: new AbortController().signal })) {
		if ((wanted.key ?? key) === key && (wanted.status ?? status) === status) return;
	}
}
