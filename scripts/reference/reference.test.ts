import * as assert from "node:assert/strict";
import { test } from "uvu";
import type { Route } from "../../core/http/route.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { findStale } from "../check-docs.ts";
import { toConfigurationReference } from "../configuration-reference.ts";
import { toApiReference } from "./api-reference.ts";
import { formatCommands } from "./command-reference.ts";
import { parseHelp, readCommands, readGlobalOptions, toFlags } from "./commands.ts";
import { readExports } from "./exports.ts";
import { toRequest, toRequestReference } from "./request-reference.ts";
import { toRightsReference } from "./rights-reference.ts";

const files: Readonly<Record<string, string>> = {
	"a/index.ts": 'export * from "./one.ts";\nexport type * from "./two.ts";\nexport {\n\ttype Three,\n\tmakeThree,\n} from "./three.ts";\n',
	"a/one.ts":
		"/**\n * Makes one. And more is said.\n *\n * @param name of it\n */\nexport function makeOne(): void {}\nexport const bare = 1;\nfunction hidden() {}\n",
	"a/two.ts": "/** Two | more: a pair\n * of lines. */\nexport interface Two {}\n/** Not a type. */\nexport const two = 2;\n",
	"a/three.ts":
		"/** Three. */\nexport type Three = 3;\n/** Makes it. */\nexport async function makeThree() {}\n/** Left inside. */\nexport class Inner {}\n",
};
const read = (file: string) => files[file] ?? "";

test("exports are found through barrels, with the first sentence of their comments", () => {
	assert.deepEqual(
		readExports("a/index.ts", read).map(({ name, kind, summary }) => [name, kind, summary]),
		[
			["Three", "type", "Three."],
			["Two", "type", "Two \\| more: a pair of lines."],
			["bare", "value", ""],
			["makeOne", "function", "Makes one."],
			["makeThree", "function", "Makes it."],
		],
	);
});

test("an export without a doc comment is named with its file", () => {
	const { problems, text } = toApiReference((file) =>
		file === "core/features/clients.ts" ? 'export * from "../../a/one.ts";' : read(file),
	);
	assert.deepEqual(problems, ['a/one.ts: "bare", which svc-automation/client exports, has no doc comment; write a sentence above it']);
	assert.match(text, /## `svc-automation\/client`[^#]*\| `makeOne` \| function \| Makes one\. \|/);
	assert.deepEqual(toApiReference().problems, []);
});

test("a page that lacks something, or has too much, is out of date and says what", () => {
	const made = "# Page\n\n| `a` | one |\n| `b` | two |\n";
	assert.equal(findStale("docs/page.md", made, made), undefined);
	assert.match(
		findStale("docs/page.md", made.replace("| `b` | two |\n", ""), made) ?? "",
		/docs\/page\.md is out of date: it lacks "\| `b` \| two \|"; run npm run docs:update/,
	);
	assert.match(findStale("docs/page.md", `${made}| \`c\` | three |\n`, made) ?? "", /it has "\| `c` \| three \|", which the code does not/);
	assert.match(findStale("docs/page.md", "| `b` | two |\n| `a` | one |\n# Page\n\n", made) ?? "", /out of date/);
});

test("the options of a command are read from its help, over lines", () => {
	const help = `Usage: svc thing list [options] <name>

Show things, in
lines.

Options:
  -n, --limit <count>  how many
                       there are
  --bare
  -h, --help           display help for command

Global Options:
  --url <address>      address

Examples:
  svc thing list one
  svc thing list one --bare
`;
	const command = parseHelp("thing list", help);
	assert.deepEqual(command, {
		name: "thing list",
		usage: "thing list [options] <name>",
		description: "Show things, in lines.",
		options: [
			{ flags: "-n, --limit <count>", meaning: "how many there are" },
			{ flags: "--bare", meaning: "" },
			{ flags: "-h, --help", meaning: "display help for command" },
		],
		examples: ["svc thing list one", "svc thing list one --bare"],
	});
	assert.deepEqual(toFlags(command.options), ["-n", "--limit", "--bare", "-h", "--help"]);
	const page = formatCommands([command], [{ flags: "--url <address>", meaning: "address" }]);
	for (const line of [
		"| `--url <address>` | address |",
		"## svc thing list \\<name>",
		"| `-n, --limit <count>` | how many there are |",
		"svc thing list one --bare",
	])
		assert.ok(page.includes(line), page);
});

test("every command of the program has a description, and each of its options a meaning", async () => {
	const commands = await readCommands();
	assert.ok(commands.length > 50);
	const mute = commands.flatMap(({ name, description, options }) => [
		...(description === "" ? [name] : []),
		...options.filter(({ meaning }) => meaning === "").map(({ flags }) => `${name} ${flags}`),
	]);
	assert.deepEqual(mute, []);
	assert.ok(toFlags(await readGlobalOptions()).includes("--api-url"));
});

test("a request is shown with what it declares", () => {
	const schema = { properties: { name: {}, size: {} }, required: ["name"], additionalProperties: false };
	const page = toRequestReference([
		{
			method: "PUT",
			component: "stream",
			path: "/things/**:ref",
			permission: "public",
			query: { color: "list" },
			body: { schema, parse: () => undefined },
		},
	]);
	assert.match(page, /\| `PUT \/stream\/v1\/things\/<ref>` \| public \| `color` \(list\) \| `name`\*, `size` \(closed\) \|/);
});

test("the table of rights has every request with what it asks for and shows, and none may be missing", () => {
	const page = toRightsReference();
	assert.match(
		page,
		/\| `GET \/v1\/executions` \| `execution_list` \| 401 \| 403 .*\| result: `execution_view`; parameters: `execution_view`; payload: `trigger_instance_view`; title: `trigger_view`; secrets: `show_secrets` \|/,
	);
	for (const { component, method, path } of routes) assert.ok(page.includes(`\`${toRequest({ component, method, path })}\``), path);
	assert.throws(() => toRightsReference([...routes, { ...(routes[0] as Route), path: "/new" }]), /no row for api GET \/new/);
});

test("the configuration reference names the variable that is read", () => {
	assert.match(toConfigurationReference(), /\| `key` \| string \| `""` \| `SVC_API_KEY_FILE` \|/);
});

test.run();
