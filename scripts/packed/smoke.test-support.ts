import * as assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { until } from "../../core/testing/guarantees/until.test-support.ts";
import { run } from "../run.ts";
import { follow } from "./service.test-support.ts";

/** A service that runs, however it was installed, and the command that came with it. */
export interface Delivered {
	/** Runs `svc` with these words where it was installed. */
	svc(words: readonly string[]): {
		readonly file: string;
		readonly args: readonly string[];
		readonly cwd?: string;
		readonly env?: NodeJS.ProcessEnv;
	};
	readonly user: string;
	readonly password: string;
	/** A run of two words. The second comes once `release` was called, which is when the first has been seen. */
	readonly live: {
		readonly words: readonly string[];
		readonly said: readonly [first: string, second: string];
		release(token: string): Promise<void>;
	};
}

/** What a package and an image must do alike: refuse a wrong password, sign in, show output while it comes, keep the result. */
export async function smoke({ svc, user, password, live }: Delivered): Promise<unknown> {
	const ask = async (words: readonly string[]) => {
		const { file, args, ...options } = svc(words);
		return run(file, args, options);
	};
	assert.notEqual((await ask(["auth", user, "-p", "wrong", "-t"])).code, 0);
	const signedIn = await ask(["auth", user, "-p", password, "-t"]);
	assert.equal(signedIn.code, 0, signedIn.output);
	// The token comes behind the warning that others can see a password among the arguments.
	const token = signedIn.output.trim().split("\n").at(-1) ?? "";

	const { file, args, ...options } = svc(["run", ...live.words, "-t", token]);
	const output = follow(spawn(file, args, { ...options, stdio: ["ignore", "pipe", "pipe"] }));
	const [first, second] = live.said;
	await until("the first word", 120, () => output.text().includes(first) || undefined);
	assert.ok(!output.text().includes(second), output.text());
	await live.release(token);
	assert.equal(await until("the end of the run", 120, output.code), 0, output.text());
	assert.ok(output.text().includes(second), output.text());

	const last = await ask(["execution", "get", "last", "-j", "-t", token]);
	assert.equal(last.code, 0, last.output);
	return JSON.parse(last.output).result;
}
