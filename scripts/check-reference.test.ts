import * as assert from "node:assert/strict";
import { test } from "uvu";
import { compareReference, findUnlisted, type Named, type Pages } from "./check-reference.ts";

const named: Named = {
	routes: ["GET /v1/things", "POST /v1/things", "GET /v1/things/<>", "PUT /v1/things/<>"],
	queries: ["color"],
	commands: { run: [], "thing list": ["-p", "--pack"], "thing get": ["-x"], "thing part get": [] },
	triggers: [{ ref: "core.thing.made", payload: ["color", "size"] }],
	events: ["svc.thing__create", "svc.thing.part__<>"],
	runners: ["thrower"],
	errors: ["SVC_BROKEN"],
};
const pages: Pages = {
	httpApi: "| `GET`, `POST /v1/things` | 200; `color=red` |\n| `GET /v1/things/<id>` | 200 |\n| `PUT /v1/things/<name or id>` | 200 |\n",
	events: "| `svc.thing__create` | the thing |\n| `svc.thing.part__<name>` | the part |\n",
	cli: "## Commands\n\n| `run <action>` | runs |\n| `thing list [-p pack]`, `get <id …>` | shows; `-x` |\n| `thing part get` | shows |\n\n## More\n",
	triggers: "| `core.thing.made` | | `color` and `size` | a thing is made |",
	errors: "| `SVC_BROKEN` |",
	contents: "[thrower](reference/runners/thrower.md)",
};

test("a reference that names everything is fine", () => {
	assert.deepEqual(compareReference(named, pages), []);
});

const gaps: readonly (readonly [problem: RegExp, pages: Partial<Pages>])[] = [
	[/does not name PUT \/v1\/things\/<>/, { httpApi: pages.httpApi.replace("`PUT /", "`GET /") }],
	[/does not name GET \/v1\/things\/<>/, { httpApi: `## Permissions\n${pages.httpApi}\n## Lists\n` }],
	[/names DELETE \/v1\/things, which is not there/, { httpApi: `${pages.httpApi}| \`DELETE /v1/things\` | 204 |\n` }],
	[/does not name the query "color"/, { httpApi: pages.httpApi.replace("color", "colour") }],
	[/does not name thing get/, { cli: pages.cli.replace("`get", "`got") }],
	[/does not name thing part get/, { cli: pages.cli.replace("thing part get", "thing part") }],
	[/names thing drop, which is not there/, { cli: pages.cli.replace("`run", "`thing drop` | drops |\n| `run") }],
	[/names --pakc with thing list, which no command of that row takes/, { cli: pages.cli.replace("[-p pack]", "[--pakc pack]") }],
	[
		/names -x with thing list, which no/,
		{ cli: pages.cli.replace(", `get <id …>`", "").replace("| `thing part", "| `thing get` | shows |\n| `thing part") },
	],
	[/does not name core\.thing\.made/, { triggers: "| `core.thing.made_up` |" }],
	[/names core\.thing\.made_up, which is not there/, { triggers: "| `core.thing.made_up` |" }],
	[/row of core\.thing\.made does not name "size"/, { triggers: pages.triggers.replace("size", "width") }],
	[/does not name svc\.thing__create/, { events: pages.events.replace("__create", "__update") }],
	[/names svc\.thing__update, which is not there/, { events: pages.events.replace("__create", "__update") }],
	[/does not name svc\.thing\.part__<>/, { events: pages.events.replace(".part", ".whole") }],
	[/does not say what the data of svc\.thing__create is/, { events: pages.events.replace("the thing", "") }],
	[/names SVC_MENDED, which is not there/, { errors: `${pages.errors}\n| \`SVC_MENDED\` | |` }],
	[/no link to a page of the runner thrower/, { contents: "[thrower](reference/auth/thrower.md)" }],
	[/does not name SVC_BROKEN/, { errors: "" }],
];

for (const [problem, changed] of gaps) {
	test(`the check finds what ${problem.source.replaceAll("\\", "")}`, () => {
		const problems = compareReference(named, { ...pages, ...changed });
		assert.ok(
			problems.some((text) => problem.test(text)),
			problems.join("\n"),
		);
	});
}

test("the check finds pages that the table of contents does not lead to", () => {
	const all = ["README.md", "docs/README.md", "docs/guides/throw.md", "docs/guides/catch.md"];
	assert.deepEqual(findUnlisted(all, "[Throw](guides/throw.md)"), ["docs/README.md has no link to docs/guides/catch.md"]);
});

test.run();
