// test-suite: full
// test-timeout: 400
import * as assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "uvu";
import { run } from "../run.ts";
import { type Installation, installPackage } from "./installation.test-support.ts";
import { hidePackages } from "./packages.test-support.ts";
import { askForToken, command, greet, readExports, succeed, withPacked } from "./project.test-support.ts";
import { smoke } from "./smoke.test-support.ts";

const installed = await installPackage();
const tsx = import.meta.resolve("tsx");
const compile = fileURLToPath(new URL("compile.mjs", import.meta.url));
const builtCommand = fileURLToPath(new URL("../../dist/core/main.js", import.meta.url));

/** Skipped by name where no registry can be reached. */
function test(name: string, handler: (installation: Installation) => Promise<void>): void {
	if (typeof installed !== "string") return plainTest(name, () => handler(installed));
	process.stdout.write(`SKIP ${name}: ${installed}\n`);
	plainTest.skip(name, () => undefined);
}

plainTest.after(async () => {
	if (typeof installed !== "string") await installed.remove();
});

const said = { embedded: "GOOD!\nMORNING!\n", served: "GOOD?\nMORNING?\n" };
const oneCopy = { service: true, index: true, plugin: true };

test("every export can be imported, and nothing else of the package", async ({ directory, nodes }) => {
	const inside = [
		"svc-automation/dist/core/index.js",
		"svc-automation/core/kernel",
		"svc-automation/plugins-runner/_ssh",
		"svc-automation/plugins/storage-knex/migrations",
	];
	const script = `
		for (const path of ${JSON.stringify(await readExports(directory))})
			if (Object.keys(await import(path)).length === 0) throw new Error(path + " is empty");
		for (const path of ${JSON.stringify(inside)}) {
			const code = await import(path).then(() => "none", (error) => error.code);
			if (code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") throw new Error(path + ": " + code);
		}
		const { createRequire } = await import("node:module");
		const { openapi } = createRequire(process.cwd() + "/x.js")("svc-automation/openapi.json");
		if (openapi !== "3.1.0") throw new Error("openapi.json says " + openapi);`;
	for (const { env } of nodes) await succeed("node", ["--input-type=module", "-e", script], { cwd: directory, env });
});

test("a project compiles against every export, declarations of libraries checked as well, and a mistake does not", async (installation) => {
	const { directory, compilers } = installation;
	const paths = await readExports(directory);
	const imports = paths.map((path, index) => `import * as part${index} from "${path}";\n`).join("");
	await writeFile(join(directory, "src/every-export.ts"), `${imports}export const parts = [${paths.map((_, index) => `part${index}`)}];\n`);
	// The compiler refuses a line that it is told to expect a mistake in and that has none.
	await writeFile(
		join(directory, "src/mistake.ts"),
		'import { createClient } from "svc-automation/client";\n// @ts-expect-error The member is called token.\nexport const client = () => createClient({ tokn: "" });\n',
	);
	await succeed("node", [compile, compilers.old], { cwd: directory });
	const bundled = ["--noEmit", "--module", "ESNext", "--moduleResolution", "bundler"];
	await succeed("node", [compilers.current, "-p", ".", ...bundled], { cwd: directory });
});

test("npx svc serves a project with its own runner and users, output shows while it comes, TERM ends it", async ({ directory, nodes }) => {
	// The other tests serve with the Node that runs them.
	const env = nodes[1]?.env ?? {};
	await withPacked({ directory, data: "data-current", env }, async (service) => {
		const seen = join(service.env["SVC_DATA_DIR"] ?? directory, "seen");
		const result = await smoke({
			svc: (words) => ({ file: command, args: words, cwd: directory, env: service.env }),
			...{ user: "ann", password: "a word of ann's" },
			live: {
				words: ["office.greet", "text=good morning", `file=${seen}`],
				said: ["GOOD?", "MORNING?"],
				release: () => writeFile(seen, ""),
			},
		});
		assert.deepEqual(result, { said: said.served, copies: oneCopy });
	});
});

test("a program with the engine in it sees one copy of the package, compiled and from its source", async ({ directory, nodes }) => {
	for (const [index, args] of [["build/src/embed.js"], ["--import", tsx, "src/embed.ts"]].entries()) {
		const output = await succeed("node", args, { cwd: directory, env: nodes[index]?.env ?? {} });
		const ended = JSON.parse(/^\{"status.*$/m.exec(output)?.[0] ?? output);
		assert.deepEqual(ended, { status: "succeeded", result: { said: said.embedded, copies: oneCopy } }, args.join(" "));
	}
});

test("a configuration in JavaScript, and one that tsx loads, see one copy of the package", async ({ directory, nodes: [node] }) => {
	await writeFile(join(directory, "plain.config.mjs"), 'export { default } from "./build/svc.config.js";\n');
	const program = join(directory, "node_modules/svc-automation/dist/core/main.js");
	for (const [args, config] of [
		[[program], "plain.config.mjs"],
		[["--import", tsx, program], "svc.config.ts"],
	] as const) {
		const options = { directory, config, data: `data-${config}`, env: node?.env ?? {}, command: ["node", ...args] as const };
		await withPacked(options, async (service) => {
			assert.deepEqual(await greet(service), { said: said.served, copies: oneCopy }, config);
		});
	}
});

test("a command of another place runs the project's plugins all the same, and says that there are two copies", async (installation) => {
	const { directory, nodes } = installation;
	const options = { directory, data: "data-other", env: nodes[0]?.env ?? {}, command: ["node", builtCommand] as const };
	await withPacked(options, async (service) => {
		assert.match(
			service.printed(),
			/imports svc \S+ of \S+project\/node_modules\/svc-automation, this command is svc .*\nHint: run "npx svc"/,
		);
		const copies = { ...oneCopy, service: false };
		assert.deepEqual(await greet(service), { said: said.served, copies });
	});
});

test("without optional packages the shipped configuration starts, and the log says what is off", async ({ directory, nodes: [node] }) => {
	await copyFile(join(directory, "node_modules/svc-automation/svc.config.ts"), join(directory, "shipped.config.ts"));
	const shown = await hidePackages(directory, (name) => name !== "libsql");
	try {
		const options = { directory, config: "shipped.config.ts", data: "data-small", env: node?.env ?? {} };
		await withPacked(options, async (service) => {
			for (const name of ["node-pty", "koffi", "ssh2", "undici", "pyodide"]) {
				const warnings = service.printed().match(new RegExp(`"level":"warn".*"package":"${name}".*"install":"npm install ${name}"`, "g"));
				assert.equal(warnings?.length, name === "koffi" ? 2 : 1, `${name}: ${service.printed()}`);
			}
			const token = await askForToken(["admin", "-p", "packed"], { cwd: directory, env: service.env });
			const env = { ...service.env, SVC_AUTH_TOKEN: token };
			assert.match(await succeed(command, ["run", "core.local", "cmd=echo small"], { cwd: directory, env }), /^small$/m);
		});
	} finally {
		await shown();
	}
});

test("a plugin whose package is missing ends the start with the name of the package", async ({ directory, nodes: [node] }) => {
	const config = await readFile(join(directory, "shipped.config.ts"), "utf8");
	// What a storage, an auth backend and a runner do; what others do, their own tests see.
	const changes = {
		libsql: (text: string) => text,
		"openid-client": (text: string) =>
			text.replace(
				"event_bus:",
				'auth: { backend: "openid_connect", backend_kwargs: { issuer: "https://login.example.org", client_id: "svc" } },\n\tevent_bus:',
			),
		pyodide: (text: string) => text.replace("pythonScript()", 'pythonScript({ engine: "pyodide" })'),
	};
	for (const [name, change] of Object.entries(changes)) {
		await writeFile(join(directory, "missing.config.ts"), change(config));
		const shown = await hidePackages(directory, (each) => each === name);
		try {
			const env = { ...node?.env, SVC_DATA_DIR: join(directory, `data-${name.replace("/", "-")}`), SVC_ADMIN_PASSWORD: "packed" };
			const { code, output } = await run(command, ["serve", "--config", "missing.config.ts"], { cwd: directory, env });
			assert.equal(code, 1, output);
			assert.match(output, new RegExp(`needs the package "${name}".*npm install ${name}`));
		} finally {
			await shown();
		}
	}
});

plainTest.run();
