import { parentPort } from "node:worker_threads";
import { findScheme } from "./password-schemes.ts";

/** A password and the stored hash to compare it with. */
export interface Comparison {
	readonly password: string;
	readonly stored: string;
}

// Entry point of the `HashThread` worker: receives each `Comparison` and replies with a `Verdict`.
parentPort?.on("message", async ({ password, stored }: Comparison) => {
	parentPort?.postMessage(await findScheme(stored)?.compare(password, stored));
});
