import { parentPort } from "node:worker_threads";
import { findScheme } from "./schemes.ts";

/** A password and the stored text it is compared with. */
export interface Comparison {
	readonly password: string;
	readonly stored: string;
}

// The thread of `HashThread`: takes a `Comparison`, answers with a `Verdict`, one after another.
parentPort?.on("message", async ({ password, stored }: Comparison) => {
	parentPort?.postMessage(await findScheme(stored)?.compare(password, stored));
});
