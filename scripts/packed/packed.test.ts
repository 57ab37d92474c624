// test-timeout: 400
import * as assert from "node:assert/strict";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "uvu";
import { run } from "../run.ts";
import { type Installation, installPackage } from "./installation.test-support.ts";
import { hidePackages } from "./packages.test-support.ts";
import { askForToken, readExports, readLastResult, signIn, succeed, withPacked } from "./project.test-support.ts";
import { smoke } from "./smoke.test-support.ts";

const installed = await installPackage();
const tsx = import.meta.resolve("tsx");
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

test("a project compiles against every export, declarations of libraries checked as well", async ({ directory, compilers }) => {
	const paths = await readExports(directory);
	const imports = paths.map((path, index) => `import * as part${index} from "${path}";\n`).join("");
	await writeFile(join(directory, "src/every-export.ts"), `${imports}export const parts = [${paths.map((_, index) => `part${index}`)}];\n`);
	const bundler = ["--module", "ESNext", "--moduleResolution", "bundler"];
	for (const { file } of compilers) {
		for (const options of [[], bundler]) await succeed("node", [file, "-p", ".", "--noEmit", ...options], { cwd: directory });
	}
	await succeed("node", [compilers[0]?.file ?? "", "-p", "."], { cwd: directory });
});

test("a mistake against a type of the package does not compile", async ({ directory, compilers }) => {
	const config = { extends: "../tsconfig.json", compilerOptions: { rootDir: ".." }, include: ["."] };
	await succeed("mkdir", ["mistake"], { cwd: directory });
	await writeFile(join(directory, "mistake/tsconfig.json"), JSON.stringify(config));
	await writeFile(
		join(directory, "mistake/port.ts"),
		'import { createClient } from "svc-automation/client";\nexport const c = createClient({ tokn: "" });\n',
	);
	for (const { name, file } of compilers) {
		const { code, output } = await run("node", [file, "-p", "mistake", "--noEmit", "--skipLibCheck"], { cwd: directory });
		assert.notEqual(code, 0);
		assert.match(output, /port\.ts.*tokn/, name);
	}
});

for (const [index, line] of ["Node as it is here", "the current LTS of Node"].entries()) {
	test(`${line}: npx svc serves a project with its own runner and users, output shows while it comes, TERM ends it`, async (installation) => {
		const { directory, nodes } = installation;
		const env = nodes[index]?.env ?? {};
		await withPacked({ directory, data: `data-${index}`, env }, async (service) => {
			const seen = join(service.env["SVC_DATA_DIR"] ?? directory, "seen");
			const result = await smoke({
				svc: (words) => ({ file: "npx", args: ["svc", ...words], cwd: directory, env: service.env }),
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

	test(`${line}: a program with the engine in it sees one copy of the package, compiled and from its source`, async (installation) => {
		const { directory, nodes } = installation;
		for (const args of [["build/src/embed.js"], ["--import", tsx, "src/embed.ts"]]) {
			const output = await succeed("node", args, { cwd: directory, env: nodes[index]?.env ?? {} });
			const ended = JSON.parse(/^\{"status.*$/m.exec(output)?.[0] ?? output);
			assert.deepEqual(ended, { status: "succeeded", result: { said: said.embedded, copies: oneCopy } }, args.join(" "));
		}
	});
}

test("a configuration in JavaScript, and one that tsx loads, see one copy of the package", async ({ directory, nodes: [node] }) => {
	await writeFile(join(directory, "plain.config.mjs"), 'export { default } from "./build/svc.config.js";\n');
	const command = join(directory, "node_modules/svc-automation/dist/core/main.js");
	for (const [args, config] of [
		[[command], "plain.config.mjs"],
		[["--import", tsx, command], "svc.config.ts"],
	] as const) {
		const options = { directory, config, data: `data-${config}`, env: node?.env ?? {}, command: ["node", ...args] as const };
		await withPacked(options, async (service) => {
			const env = await signIn(service, directory);
			await succeed("npx", ["svc", "run", "office.greet", "text=good morning"], { cwd: directory, env });
			assert.deepEqual(await readLastResult(env, directory), { said: said.served, copies: oneCopy }, config);
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
		const env = await signIn(service, directory);
		await succeed("npx", ["svc", "run", "office.greet", "text=good morning"], { cwd: directory, env });
		const copies = { ...oneCopy, service: false };
		assert.deepEqual(await readLastResult(env, directory), { said: said.served, copies });
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
			assert.match(await succeed("npx", ["svc", "run", "core.local", "cmd=echo small"], { cwd: directory, env }), /^small$/m);
		});
	} finally {
		await shown();
	}
});

test("a plugin whose package is missing ends the start with the name of the package", async ({ directory, nodes: [node] }) => {
	const config = await readFile(join(directory, "shipped.config.ts"), "utf8");
	const changes = {
		libsql: (text: string) => text,
		"@nats-io/transport-node": (text: string) =>
			text
				.replace("memoryBus()", "natsBus({ servers: 'nats://127.0.0.1:1' })")
				.replace(/^/, 'import { natsBus } from "svc-automation/plugins/event-bus-nats";\n'),
		postgres: (text: string) => text.replace('{ client: "sqlite" }', '{ client: "postgres", url: "postgres://ann:word@127.0.0.1:1/none" }'),
		ldapts: (text: string) => text.replace("event_bus:", 'auth: { backend: "ldap" },\n\tevent_bus:'),
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
			const { code, output } = await run("npx", ["svc", "serve", "--config", "missing.config.ts"], { cwd: directory, env });
			assert.equal(code, 1, output);
			assert.match(output, new RegExp(`needs the package "${name}".*npm install ${name}`));
		} finally {
			await shown();
		}
	}
});

plainTest.run();
