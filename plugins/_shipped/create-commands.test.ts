import * as assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "uvu";
import { CapturedText } from "../../core/testing/cli/captured-text.test-support.ts";
import { chosenExtent } from "../../core/testing/extent.test-support.ts";
import { requires } from "../../core/testing/test-requirements.ts";
import { type Client, createClient } from "./client.ts";
import { packageKinds } from "./create/template-files.ts";
import { writePackage } from "./create-commands.ts";
import { runSvc } from "./run-svc.ts";

const { test: pythonTest } = requires(test, { command: "python3" });
const execute = promisify(execFile);
const root = dirname(fileURLToPath(import.meta.resolve("svc-automation/package.json")));
const home = mkdtempSync(join(tmpdir(), "svc-create-"));
test.after(() => rmSync(home, { recursive: true }));

async function svc(...words: string[]) {
	const [stdout, stderr] = [new CapturedText(), new CapturedText()];
	const exitCode = await runSvc(words, { stdout, stderr, env: {} });
	return { exitCode, stdout: stdout.text, stderr: stderr.text };
}

/** What `npm install` would do, with what is here. */
function install(directory: string): void {
	const modules = join(directory, "node_modules");
	mkdirSync(modules);
	symlinkSync(root, join(modules, "svc-automation"));
	for (const name of ["@types", "typescript", "uvu"]) symlinkSync(join(root, "node_modules", name), join(modules, name));
}

/** A new package of this kind; its directory. */
async function create(kind: string, name: string): Promise<string> {
	const directory = mkdtempSync(join(home, "package-"));
	const { exitCode, stderr, stdout } = await svc("create", kind, name, "--directory", directory);
	assert.equal(exitCode, 0, stderr);
	for (const path of ["package.json", "README.md", ".gitignore"]) assert.ok(stdout.includes(`  ${path}\n`), stdout);
	return directory;
}

function textsOf(directory: string): string {
	return readdirSync(directory, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), "utf8")}`)
		.join("\n");
}

const plugins = packageKinds.filter((kind) => kind !== "project" && kind !== "pack");

test("a new plugin of each kind compiles as it is, and passes its test", async () => {
	const directories = new Map<string, string>();
	for (const kind of plugins) {
		const directory = await create(kind, "@site/night-shift");
		directories.set(kind, directory);
		assert.ok(!/template/i.test(textsOf(directory)));
		assert.match(textsOf(directory), /\bcontract: 1\b/);
		install(directory);
		const { name, scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
		assert.equal(name, "@site/night-shift");
		assert.equal(scripts.test, `tsc && node dist/test/${kind}.test.js`);
	}
	// One compiler for all of them takes half the time of one each.
	const tsc = join(root, "node_modules/typescript/bin/tsc");
	await execute(process.execPath, [tsc, "--build", ...directories.values()]).catch((error: Error & { readonly stdout?: string }) =>
		assert.fail(`${error.message}\n${error.stdout ?? ""}`),
	);
	for (const [kind, directory] of directories) {
		const module = await import(join(directory, `dist/src/${kind}.js`));
		assert.equal(module.nightShift({ url: "", directory: "" }).name, "night-shift");
	}
	// The templates pass theirs in examples/templates; here it is seen that a new package finds what it needs for its test.
	for (const kind of chosenExtent() === "full" ? (["runner", "storage", "feature"] as const) : (["runner", "feature"] as const)) {
		const { stdout } = await execute(process.execPath, [`dist/test/${kind}.test.js`], { cwd: directories.get(kind) }).catch(
			(error: Error & { readonly stdout?: string }) => assert.fail(`${error.message}\n${error.stdout ?? ""}`),
		);
		assert.match(stdout, /Passed: +[1-9]/);
	}
});

test("the configuration of a new project type-checks as it is, and a mistake in it is found", async () => {
	const directory = await create("project", "night-shift");
	install(directory);
	const { scripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	assert.equal(scripts.check, "tsc");
	const config = readFileSync(join(directory, "svc.config.ts"), "utf8");
	writeFileSync(join(directory, "mistake.config.ts"), config.replace('packs: ["packs"]', "packs: 5"));
	const check = execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: directory });
	await assert.rejects(check, ({ stdout = "" }: Error & { readonly stdout?: string }) => {
		const files = [...stdout.matchAll(/^(\S+)\(\d+,\d+\): error TS/gm)].map(([, file]) => file);
		assert.deepEqual(new Set(files), new Set(["mistake.config.ts"]), stdout);
		return true;
	});
});

type PostWebhook = (url: string, body: object) => Promise<Response>;

interface StartedProject {
	readonly client: Client;
	readonly post: PostWebhook;
	/** Environment of commands that call the service. */
	readonly env: Readonly<Record<string, string | undefined>>;
}

/** Starts the new project as `npm start` does, and stops it after `use`. */
async function withProject(directory: string, use: (project: StartedProject) => Promise<void>): Promise<void> {
	const ports = { SVC_AUTH_PORT: "0", SVC_API_PORT: "0", SVC_STREAM_PORT: "0" };
	const child = spawn(process.execPath, [join(root, "dist/plugins/_shipped/main.js"), "serve"], {
		cwd: directory,
		stdio: ["ignore", "pipe", "inherit"],
		env: { PATH: process.env["PATH"], ...ports, SVC_ADMIN_PASSWORD: "made for this test", SVC_LOG_LEVEL: "error" },
	});
	const ended = once(child, "exit");
	try {
		const apiUrl = await readAddress(child);
		const { token } = await createClient({ apiUrl }).signIn({ username: "admin", password: "made for this test" });
		const headers = { "x-auth-token": token, "content-type": "application/json" };
		await use({
			client: createClient({ apiUrl, token }),
			post: (url, body) => fetch(`${apiUrl}/v1/webhooks/${url}`, { method: "POST", headers, body: JSON.stringify(body) }),
			env: { PATH: process.env["PATH"], HOME: home, SVC_API_URL: apiUrl, SVC_AUTH_TOKEN: token },
		});
	} finally {
		child.kill();
		await ended;
	}
}

async function readAddress({ stdout }: ChildProcess): Promise<string> {
	for await (const line of createInterface({ input: stdout ?? process.stdin })) {
		const address = /^API\s+(\S+)\/v1$/.exec(line)?.[1];
		if (address !== undefined) return address;
	}
	throw new Error("the service has ended");
}

async function waitFor(client: Client, said: string): Promise<void> {
	for (;;) {
		const { items } = await client.executions.list({ action: "night_shift.greet" });
		if (items.some(({ result }) => result?.["stdout"] === said)) return;
		assert.ok(
			items.every(({ status }) => !["failed", "abandoned", "timeout"].includes(status)),
			JSON.stringify(items),
		);
		await delay(50);
	}
}

test("a new project starts, its action runs, and its rule too", async () => {
	const directory = await create("project", "night-shift");
	assert.ok(!/template/i.test(textsOf(directory)));
	install(directory);
	await withProject(directory, async ({ client, post }) => {
		await client.executions.create({ action: "night_shift.greet", parameters: { who: "Ann" } });
		await waitFor(client, "Hello Ann");
		assert.equal((await post("greet", { name: "Bob" })).status, 202);
		await waitFor(client, "Hello Bob");
	});
});

test("a project uses a new feature, and its commands, as the page of the feature says", async () => {
	const feature = await create("feature", "@site/shift-log");
	install(feature);
	await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: feature });
	const readme = readFileSync(join(feature, "README.md"), "utf8");
	const directory = await create("project", "night-shift");
	install(directory);
	mkdirSync(join(directory, "node_modules/@site"));
	symlinkSync(feature, join(directory, "node_modules/@site/shift-log"));
	const config = readFileSync(join(directory, "svc.config.ts"), "utf8").replace("packInstaller()]", "packInstaller(), shiftLog()]");
	const [, imported = ""] = /^(import .*;)$/m.exec(readme) ?? [];
	writeFileSync(join(directory, "svc.config.ts"), `${imported}\n${config}`);
	await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc")], { cwd: directory });
	const [, commands = ""] = /^export SVC_COMMANDS=(.*)$/m.exec(readme) ?? [];
	await withProject(directory, async ({ env }) => {
		const run = async (...words: readonly string[]) => {
			const options = { cwd: directory, env: { ...env, SVC_COMMANDS: commands } };
			return (await execute(process.execPath, [join(root, "dist/plugins/_shipped/main.js"), ...words], options)).stdout;
		};
		assert.match(await run("shift-log", "create", "The disk of db1 is new."), /^user: admin$/m);
		assert.match(await run("shift-log", "list"), /The disk of db1 is new\./);
	});
});

pythonTest("a new pack has no faults, and its tests pass", async () => {
	const directory = await create("pack", "night-shift");
	assert.ok(!/template/i.test(textsOf(directory)));
	install(directory);
	const env = { PATH: process.env["PATH"], HOME: home };
	const run = (...words: readonly string[]) =>
		execute(process.execPath, [join(root, "dist/plugins/_shipped/main.js"), "pack", ...words], { cwd: directory, env });
	assert.equal((await run("check", "--strict")).stdout, "night_shift: 0 errors, 0 notes\n");
	const { stdout } = await run("test");
	assert.match(stdout, /^night_shift: 10 passed, 0 failed$/m);
	assert.deepEqual(
		[...new Set(readdirSync(join(directory, "tests"), { recursive: true, encoding: "utf8" }))].filter((path) => /pyc/.test(path)),
		[],
	);
});

test("package.json has the versions that this service is built with", async () => {
	const { version, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
	const directory = await create("sensor", "letters");
	const made = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
	assert.deepEqual(made.peerDependencies, { "svc-automation": `^${version}` });
	assert.equal(made.devDependencies.typescript, `^${devDependencies.typescript}`);
	const [, path] = /^file:(.*)$/.exec(made.devDependencies["svc-automation"]) ?? [];
	assert.equal(JSON.parse(readFileSync(join(directory, path ?? "", "package.json"), "utf8")).name, "svc-automation");
});

test("a kind of a new feature has no digits in its name, as no kind may have any", async () => {
	const directory = await create("feature", "shift-2-log3");
	const text = readFileSync(join(directory, "src/feature.ts"), "utf8");
	assert.ok(text.includes("kinds: { shift_log_note: noteKind }"), text);
	assert.ok(text.includes('name: "shift-2-log3"'), text);
});

test("npm has no install scripts left to ask about in a new package", async () => {
	const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
		packages: Record<string, { readonly hasInstallScript?: boolean; readonly dev?: boolean; readonly os?: readonly string[] }>;
	};
	// None of them needs its script here: each has a build for the common systems, or does without one.
	const withScripts = Object.entries(packages)
		.filter(([path, { hasInstallScript, dev, os }]) => path !== "" && hasInstallScript && !dev && (os ?? ["linux"]).includes("linux"))
		.map(([path]) => path.replace(/^.*node_modules\//, ""));
	assert.ok(withScripts.includes("ssh2"), String(withScripts));
	for (const kind of ["project", "pack", "runner", "feature"]) {
		const directory = await create(kind, "letters");
		const { allowScripts } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
		assert.deepEqual(Object.keys(allowScripts).sort(), withScripts.toSorted(), kind);
		assert.deepEqual([...new Set(Object.values(allowScripts))], [false]);
	}
});

test("a name that is a word of the language, or of the sources, gets an identifier that is none", async () => {
	for (const [name, identifier] of [
		["class", "classRunner"],
		["test-runner", "testRunnerRunner"],
		["delay", "delayRunner"],
		["snake_case-2x", "snakeCase2x"],
	] as const) {
		const directory = await create("runner", name);
		const text = readFileSync(join(directory, "src/runner.ts"), "utf8");
		assert.ok(text.includes(`export const ${identifier} = defineRunner(\n\t"${name}",`), text);
	}
});

test("what is not allowed is refused with what is, and nothing is written", async () => {
	const full = mkdtempSync(join(home, "full-"));
	writeFileSync(join(full, "mine.txt"), "kept");
	const target = join(home, "refused");
	const refusals = [
		[
			["robot", "x", "--directory", target],
			'kind: "robot" must be one of runner, auth-backend, storage, event-bus, sensor, feature, project, pack',
		],
		...["Night", "1st", "a b", "../x", "-x", "a--b", ".x", "@/x", "@site/", "", "x".repeat(215), "ä"].map(
			(name) => [["runner", "--directory", target, "--", name], "must be a valid npm package name: lower-case letters"] as const,
		),
		...["core", "svc", "svc-automation", "http"].map(
			(name) => [["project", name, "--directory", target], `"${name}" has a meaning of its own`] as const,
		),
		[["feature", "rule", "--directory", target], 'svc already has a command "rule"; choose another name, such as "my-rule"'],
		[["runner", "x", "--directory", full], "is not empty; choose another with --directory"],
		[["runner", "x", "--directory", join(full, "mine.txt")], "it is not a directory"],
		[["runner", "x", "--directory", join(full, "mine.txt", "below")], "it is not a directory"],
	] as const;
	for (const [words, expected] of refusals) {
		const { exitCode, stderr, stdout } = await svc("create", ...words);
		assert.equal(exitCode, 2, stderr);
		assert.ok(stderr.includes(expected), stderr);
		assert.equal(stdout, "");
	}
	assert.ok(!existsSync(target));
	assert.deepEqual(readdirSync(full), ["mine.txt"]);
	assert.equal(readFileSync(join(full, "mine.txt"), "utf8"), "kept");
});

test("what was written before a failure is removed, and an empty directory stays", () => {
	const empty = mkdtempSync(join(home, "empty-"));
	const files = ["src/a.ts", "b", "b/c"].map((path) => ({ path, text: "text", isProgram: false }));
	for (const directory of [empty, join(home, "new", "deep")]) {
		assert.throws(() => writePackage(directory, files), /^CliExit: directory: ".*" cannot be written/);
	}
	assert.deepEqual(readdirSync(empty), []);
	assert.ok(!existsSync(join(home, "new")));
});

test("--dry-run lists the files and writes none", async () => {
	const target = join(home, "dry");
	const { exitCode, stdout } = await svc("create", "project", "night-shift", "--directory", target, "--dry-run");
	assert.equal(exitCode, 0);
	assert.ok(!existsSync(target));
	assert.ok(stdout.startsWith("Files to be written in "), stdout);
	for (const path of ["svc.config.ts", "packs/night_shift/actions/greet.yaml", ".gitignore"])
		assert.ok(stdout.includes(`  ${path}\n`), stdout);
});

test.run();
