// test-suite: full
// test-timeout: 600
import * as assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test as plainTest } from "uvu";
import { createCertificates } from "../../core/testing/services/certificates.test-support.ts";
import { people, service, slapdTest, startSlapd, toGroup, toPerson } from "../../plugins-auth/ldap/slapd.test-support.ts";
import { createMachine, type Line } from "./machine.test-support.ts";
import { readSteps } from "./pages.test-support.ts";
import { Reader } from "./reader.test-support.ts";

// By default with the Node and npm that run this; packed.test.ts uses the package with Node 24. NODE_LINES=1 does everything with Node 24
// and its npm, NODE_LINES=2 with the oldest releases that are supported, too.
const machine = await createMachine(Number(process.env["NODE_LINES"] ?? 0));
const page = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** Skipped by name where no registry can be reached. */
function test(name: string, handler: () => Promise<void>): void {
	if (typeof machine !== "string") return plainTest(name, handler);
	process.stdout.write(`SKIP ${name}: ${machine}\n`);
	plainTest.skip(name, () => undefined);
}

plainTest.after(async () => {
	if (typeof machine !== "string") await machine.remove();
});

/** What `svc create` says can be typed next: the page says the same, and each of its lines is typed. */
const printedNext = (name: string) => new RegExp(`^Next: cd ${name} && npm install && npm test$`, "m");
/** What of which page somebody does, one after the other in the same project, and what they see then. */
const readme = ["README.md", ["In a project of your own", "What it looks like"], [/^3$/m, /Hello Ann$/m, /load average/]] as const;
const runner = [
	"docs/guides/write-a-runner.md",
	["Begin with a package"],
	[printedNext("weather"), /Passed: +[1-9]/, /^It snows\.$/m],
] as const;
const backend = [
	"docs/guides/write-an-auth-backend.md",
	["Begin with a package"],
	[printedNext("staff-list"), /Passed: +[1-9]/, /\bann\b/],
] as const;
const embedded = ["The engine alone", "The service in your server"] as const;
const embed = ["docs/guides/embed-the-engine.md", embedded, [/^stdout: step 3$/m, /something else/]] as const;

/** Each in the project that the first has made. */
const walks = [readme, runner, backend, embed] as const;

for (const line of typeof machine === "string" ? [undefined] : machine.lines) {
	const name = line?.name ?? "a machine with nothing on it";
	let reader: Reader;
	for (const [path, headings, sees] of walks) {
		test(`${name}: what ${path} says can be done word by word where there is nothing but the packed file`, async () => {
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

slapdTest(plainTest, "openssl")("what docs/guides/swap-the-auth-backend.md says can be done word by word, with a directory", async () => {
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
		const headings = ["2. Put both backends into the configuration", "3. Try the new one"];
		// What the README has made.
		await reader.follow([{ kind: "type", commands: "cd demo" }]);
		const printed = await reader.follow(headings.flatMap((heading) => readSteps(page("docs/guides/swap-the-auth-backend.md"), heading)));
		assert.match(printed, /\bann\b/);
		assert.match(printed, /\bobserver\b/);
	} finally {
		await reader.endAll();
		await slapd.stop();
		await certificates.remove();
	}
});

plainTest.run();
