import type { EngineViolation } from "./engine-oracle.ts";
import type { EngineName } from "./engines.ts";
import { runWeakened } from "./run-engines.ts";

/** What must be noticed of runners without a mechanism; otherwise a run that keeps every promise proves nothing. */
const proofs: readonly { readonly name: string; readonly promise: EngineViolation["promise"]; readonly engine: EngineName }[] = [
	{ name: "a runner that does not look for its job runs the command twice", promise: "once", engine: "kubernetes" },
	{ name: "a runner that forgets what is recorded of the output repeats or loses some", promise: "output", engine: "podman" },
	{ name: "a runner that does not remove its container leaves it behind", promise: "left", engine: "podman" },
];

/** Takes mechanisms out of two runners; returns the names of the proofs whose promise was kept all the same. */
export async function findUnnoticedRunners(print: (line: string) => void): Promise<readonly string[]> {
	const violations = await runWeakened({ kubernetes: ["look"], podman: ["position", "removal"] }, print);
	const isBroken = (promise: string, engine: string) => violations.some((one) => one.promise === promise && one.engine === engine);
	return proofs.filter(({ promise, engine }) => !isBroken(promise, engine)).map(({ name }) => name);
}
