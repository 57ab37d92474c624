import * as assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createClient } from "../../plugins/_shipped/client.ts";
import { run } from "../run.ts";
import { type PackedService, type StartOptions, startPacked } from "./service.test-support.ts";

/** The command of the package, from the project; `npx` finds the same one in twice the time. */
export const command = "node_modules/.bin/svc";

/** Run a program that must succeed; what it prints. */
export async function succeed(
	file: string,
	args: readonly string[],
	options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): Promise<string> {
	const { code, output } = await run(file, args, options);
	assert.equal(code, 0, `${file} ${args.join(" ")}: ${output}`);
	return output;
}

/** A service of the project, until `use` is done. TERM must end it in order. */
export async function withPacked(options: StartOptions, use: (service: PackedService) => Promise<void>): Promise<void> {
	const service = await startPacked(options);
	let code: number | null | undefined;
	try {
		await use(service);
	} finally {
		code = await service.stop();
	}
	assert.equal(code, 0, `TERM stops it in order: ${service.printed()}`);
}

/** Every module that `exports` of the package names, as programs import it; JSON is imported otherwise. */
export async function readExports(directory: string): Promise<readonly string[]> {
	const manifest = await readFile(join(directory, "node_modules/svc-automation/package.json"), "utf8");
	const { exports } = JSON.parse(manifest) as { readonly exports: Readonly<Record<string, unknown>> };
	return Object.keys(exports)
		.filter((path) => !path.endsWith(".json"))
		.map((path) => path.replace(".", "svc-automation"));
}

/** The token that the command prints, behind the warning that others can see a password among its arguments. */
export async function askForToken(
	args: readonly string[],
	options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
	const output = await succeed(command, ["auth", ...args, "-t"], options);
	return output.trim().split("\n").at(-1) ?? "";
}

/** Runs the action of the project as a user of its own backend; what its runner gives. */
export async function greet({ env }: PackedService): Promise<unknown> {
	const apiUrl = env["SVC_API_URL"] ?? "";
	const { token } = await createClient({ apiUrl }).signIn({ username: "ann", password: "a word of ann's" });
	const { executions, followOutput } = createClient({ apiUrl, token });
	const { id } = await executions.create({ action: "office.greet", parameters: { text: "good morning" } });
	for await (const { data } of followOutput(id)) assert.ok(data);
	return (await executions.get(id)).result;
}
