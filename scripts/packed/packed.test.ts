// test-suite: full
// test-timeout: 600
import * as assert from "node:assert/strict";
import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "uvu";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { people, service, slapdTest, startSlapd, toGroup, toPerson } from "../../plugins-auth/ldap/slapd.test-support.ts";
import { run } from "../run.ts";
import { type Installation, installPackage } from "./installation.test-support.ts";
import { createMachine, type Line, type Machine } from "./machine.test-support.ts";
import { hidePackages } from "./packages.test-support.ts";
import { readSteps } from "./pages.test-support.ts";
import { askForToken, command, greet, readExports, succeed, withPacked } from "./project.test-support.ts";
import { Reader } from "./reader.test-support.ts";
import { smoke } from "./smoke.test-support.ts";

// The pages are followed with the Node and npm that run this. NODE_LINES=1 follows them with Node 24 and its npm, NODE_LINES=2 with the
// oldest releases that are supported, too.
const machine = await createMachine(Number(process.env["NODE_LINES"] ?? 0));
let installation: Promise<Installation> | undefined;
const page = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const tsx = import.meta.resolve("tsx");
const compile = fileURLToPath(new URL("compile.mjs", import.meta.url));
const builtCommand = fileURLToPath(new URL("../../dist/plugins/_shipped/main.js", import.meta.url));

/** Skipped by name where no registry can be reached. */
function machineTest(name: string, handler: (machine: Machine) => Promise<void>): void {
	if (typeof machine !== "string") return plainTest(name, () => handler(machine));
	process.stdout.write(`SKIP ${name}: ${machine}\n`);
	plainTest.skip(name, () => undefined);
}

/** With a project that all these tests share, into which the packed package is installed. */
function test(name: string, handler: (installation: Installation) => Promise<void>): void {
	machineTest(name, async (found) => {
		installation ??= installPackage(found);
		await handler(await installation);
	});
}

plainTest.after(async () => {
	if (typeof machine !== "string") await machine.remove();
});

const said = { embedded: "GOOD!\nMORNING!\n", served: "GOOD?\nMORNING?\n" };
const oneCopy = { service: true, index: true, plugin: true };

test("every export can be imported, also without optional packages, and nothing else of the package", async ({ directory, nodes }) => {
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
	const importAll = (env: NodeJS.ProcessEnv = {}) => succeed("node", ["--input-type=module", "-e", script], { cwd: directory, env });
	await importAll(nodes[0]?.env);
	const shown = await hidePackages(directory, () => true);
	await importAll(nodes[1]?.env).finally(shown);
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

test("a compiled program with the engine in it sees one copy of the package", async ({ directory, nodes: [node] }) => {
	const output = await succeed("node", ["build/src/embed.js"], { cwd: directory, env: node?.env ?? {} });
	const ended = JSON.parse(/^\{"status.*$/m.exec(output)?.[0] ?? output);
	assert.deepEqual(ended, { status: "succeeded", result: { said: said.embedded, copies: oneCopy } });
});

test("a configuration in JavaScript, and one that tsx loads, see one copy of the package", async ({ directory, nodes: [node] }) => {
	await writeFile(join(directory, "plain.config.mjs"), 'export { default } from "./build/svc.config.js";\n');
	const program = join(directory, "node_modules/svc-automation/dist/plugins/_shipped/main.js");
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
			/imports svc \S+ from \S+project\/node_modules\/svc-automation, but this command is svc .*\nHint: run "npx svc"/,
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
	const shown = await hidePackages(directory, (each) => each === "libsql");
	try {
		const env = { ...node?.env, SVC_DATA_DIR: join(directory, "data-missing"), SVC_ADMIN_PASSWORD: "packed" };
		const { code, output } = await run(command, ["serve", "--config", "shipped.config.ts"], { cwd: directory, env });
		assert.equal(code, 1, output);
		assert.match(output, /needs the package "libsql".*npm install libsql/);
	} finally {
		await shown();
	}
});

/** The next commands that `svc create` prints. The page has the same ones, and the test types each of them. */
const printedNext = (name: string) => new RegExp(`^Next: cd ${name} && npm install && npm test$`, "m");
/** The page, its headings whose steps a reader follows one after another in the same project, and the output that must appear. */
const readme = ["README.md", ["Start your own project", "What you can do with it"], [/^3$/m, /Hello Ann$/m, /load average/]] as const;
const runner = [
	"docs/guides/write-a-runner.md",
	["Create a package"],
	[printedNext("weather"), /Passed: +[1-9]/, /^It snows\.$/m],
] as const;
const feature = [
	"docs/guides/write-a-feature.md",
	["Create a package"],
	[printedNext("shift-log"), /Passed: +[1-9]/, /^text: The disk of db1 is new\.$/m],
] as const;
const backend = [
	"docs/guides/write-an-auth-backend.md",
	["Create a package"],
	[printedNext("staff-list"), /Passed: +[1-9]/, /\bann\b/],
] as const;
const embedded = ["Run an engine without HTTP", "Mount the service in your server"] as const;
const embed = ["docs/guides/embed-the-engine.md", embedded, [/^stdout: step 3$/m, /something else/]] as const;

/** Each in the project that the first has made. */
const walks = [readme, runner, feature, backend, embed] as const;

for (const line of typeof machine === "string" ? [undefined] : machine.lines) {
	const name = line?.name ?? "a machine with nothing on it";
	let reader: Reader;
	for (const [path, headings, sees] of walks) {
		machineTest(`${name}: what ${path} says can be done word by word where there is nothing but the packed file`, async () => {
			reader ??= await Reader.create(line as Line);
			try {
				const printed = await reader.follow(headings.flatMap((heading) => readSteps(page(path), heading)));
				for (const seen of sees) assert.match(printed, seen);
			} finally {
				await reader.endAll();
			}
		});
	}
}

slapdTest(plainTest, "openssl")("what docs/guides/change-the-auth-backend.md says can be done word by word, with a directory", async () => {
	if (typeof machine === "string") return;
	const certificates = await createCertificates();
	const password = "password of ann";
	const slapd = await startSlapd({ entries: [toPerson("ann", password), toGroup("staff", [`uid=ann,${people}`])], certificates });
	const env = {
		...{ LDAP_HOST: "localhost", LDAP_PORT: String(slapd.ports.ldap), LDAP_CACERT: certificates.ca },
		LDAP_BIND_PASSWORD: service.password,
	};
	const [line] = machine.lines;
	assert.ok(line);
	const reader = await Reader.create(line, { password, env });
	try {
		const headings = ["2. Configure both backends", "3. Test the new backend"];
		// What the README has made.
		await reader.follow([{ kind: "type", commands: "cd demo" }]);
		const printed = await reader.follow(headings.flatMap((heading) => readSteps(page("docs/guides/change-the-auth-backend.md"), heading)));
		assert.match(printed, /\bann\b/);
		assert.match(printed, /\bobserver\b/);
	} finally {
		await reader.endAll();
		await slapd.stop();
		await certificates.remove();
	}
});

plainTest.run();
