import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChaosEngine } from "./chaos-engine.ts";

const lines = 12;

/** What every execution prints. */
export const text = Array.from({ length: lines }, (_, index) => `line ${index}\n`).join("");

/** Holds an action for each engine, under its name. */
export const pack = "engine_chaos";

/**
 * What every execution does: it writes down that it begins where the service has no hand in it, prints for some seconds, and writes down that it
 * has come to its end. The same for the shells of machines and of busybox, which knows no parts of seconds.
 *
 * @param seconds from line to line
 */
export function toCommand(ledger: string, seconds = 0.2): string {
	const nap = `usleep ${seconds * 1_000_000} 2>/dev/null || sleep ${seconds}`;
	const note = (word: string) => `echo "$SVC_ACTION_EXECUTION_ID ${word}" >> '${ledger}'`;
	return `${note("begin")}; i=0; while [ $i -lt ${lines} ]; do echo line $i; i=$((i+1)); ${nap}; done; ${note("end")}`;
}

/** Put the pack into a directory of packs. */
export async function writePack(packs: string, engines: readonly ChaosEngine[]): Promise<void> {
	const actions = join(packs, pack, "actions");
	await mkdir(actions, { recursive: true });
	const manifest = { ref: pack, name: pack, description: "One action for each engine.", version: "1.0.0", author: "tests" };
	await writeFile(join(packs, pack, "pack.yaml"), JSON.stringify(manifest));
	for (const { name, action } of engines) await writeFile(join(actions, `${name}.yaml`), JSON.stringify({ name, ...action }));
}
