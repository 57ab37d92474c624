import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { run } from "./run.ts";

// Checks the dependency rules, after proving on made-up files that the checker finds what breaks them.
const configuration = ".dependency-cruiser.cjs";
const cruiser = resolve("node_modules/dependency-cruiser/bin/dependency-cruise.mjs");

/** One file for each rule, that breaks it; the import is of a type where the rule must see those too. */
const violations: readonly (readonly [rule: string, file: string, text: string])[] = [
	["no-cycles", "core/kernel/a.ts", 'import "./b.ts";'],
	["contract-stands-alone", "core/contract/a.ts", 'import type { T } from "../kernel/target.ts"; export type X = T;'],
	["lib-knows-contract-only", "core/lib/a.ts", 'import type { T } from "../language/target.ts"; export type X = T;'],
	["language-knows-lib-and-contract", "core/language/a.ts", 'import type { T } from "../kernel/target.ts"; export type X = T;'],
	["secrets-know-language-and-lib", "core/secrets/a.ts", 'import type { T } from "../kernel/target.ts"; export type X = T;'],
	...[
		"basics",
		"coordination",
		"executions",
		"expiry",
		"output",
		"telemetry",
		"plugins",
		"submission",
		"events",
		"runs",
		"scheduling",
		"nodes",
	].map(
		(folder, index) =>
			[`order-of-kernel-${index + 1}`, `core/kernel/${folder}/a.ts`, 'import type { T } from "../target.ts"; export type X = T;'] as const,
	),
	["kernel-knows-what-is-below", "core/kernel/c.ts", 'import type { T } from "../features/one/target.ts"; export type X = T;'],
	["http-knows-kernel-and-contract", "core/http/a.ts", 'import type { T } from "../features/one/target.ts"; export type X = T;'],
	["kernel-loads-no-interface", "core/kernel/f.ts", 'import "../language/carrier.ts";'],
	["routes-know-the-http-kit", "core/features/one/more-routes.ts", 'import "./carrier.ts";'],
	["features-know-what-others-show", "core/features/one/b.ts", 'import type { T } from "../two/routes.ts"; export type X = T;'],
	["features-know-kernel-and-kits", "core/features/one/c.ts", 'import type { T } from "../../service/target.ts"; export type X = T;'],
	["lists-take-the-faces", "core/features/list.ts", 'import type { T } from "./two/shown-exports.ts"; export type X = T;'],
	["others-take-the-lists", "core/service/a.ts", 'import type { T } from "../features/two/index.ts"; export type X = T;'],
	...["access", "datastore", "packs", "actions", "executions", "rules", "retention"].map(
		(feature, index) =>
			[
				`order-of-features-${index + 1}`,
				`core/features/${feature}/a.ts`,
				'import type { T } from "../two/shown-exports.ts"; export type X = T;',
			] as const,
	),
	["client-knows-contract-only", "core/client/a.ts", 'import type { T } from "../features/one/client.ts"; export type X = T;'],
	["cli-knows-client-and-contract", "core/cli/a.ts", 'import "../features/one/commands.ts";'],
	["client-parts-know-the-client-kit", "core/features/one/client.ts", 'import type { T } from "./target.ts"; export type X = T;'],
	["client-loads-no-engine", "core/features/clients.ts", 'import "./two/client.ts";'],
	["commands-know-the-cli-kit", "core/features/one/commands.ts", 'import type { T } from "../../kernel/target.ts"; export type X = T;'],
	["command-loads-no-engine", "core/features/commands.ts", 'import "./two/shown.ts";'],
	[
		"only-browsers-load-web",
		"core/features/one/d.ts",
		'import type { T } from "../../../plugins/feature-web-ui/web/target.ts"; export type X = T;',
	],
	["core-imports-no-plugin", "core/d.ts", 'import "../plugins/one/target.ts";'],
	["core-imports-no-testing", "plugins/one/b.ts", 'import "../../core/testing/target.ts";'],
	["plugins-know-contract-only", "plugins/one/c.ts", 'import type { T } from "../../core/kernel/target.ts"; export type X = T;'],
	[
		"features-outside-core-know-the-entries",
		"plugins/feature-a/a.ts",
		'import type { T } from "../../core/kernel/target.ts"; export type X = T;',
	],
	["only-the-package-imports-its-lists", "plugins/feature-a/b.ts", 'import type { T } from "../_shipped/target.ts"; export type X = T;'],
	["plugins-do-not-know-each-other", "plugins/one/d.ts", 'import "../two/target.ts";'],
	["home-of-h3", "core/kernel/e.ts", 'import "h3";'],
	["home-of-knex", "plugins/two/e.ts", 'export const load = () => import("knex");'],
];
const innocent: readonly (readonly [file: string, text: string])[] = [
	["core/kernel/b.ts", 'import "./a.ts";'],
	["core/language/carrier.ts", 'import "../http/target.ts";'],
	["core/features/one/carrier.ts", 'import "../../cli/target.ts";'],
	...["routes", "index", "shown-exports"].map((name) => [`core/features/two/${name}.ts`, "export type T = 1;"] as const),
	["core/features/two/client.ts", 'import "./shown.ts";'],
	["core/features/two/shown.ts", 'import "../../kernel/target.ts";'],
	...[
		"core/kernel",
		"core/language",
		"core/http",
		"core/cli",
		"core/service",
		"core/testing",
		"plugins/feature-web-ui/web",
		"core/features/one",
		"plugins/_shipped",
		"plugins/one",
		"plugins/two",
	].map((directory) => [`${directory}/target.ts`, "export type T = 1;"] as const),
	...["h3", "knex"].flatMap((name) => [
		[`node_modules/${name}/package.json`, `{ "name": "${name}", "main": "index.js" }`] as const,
		[`node_modules/${name}/index.js`, ""] as const,
	]),
];

async function cruise(directory: string, folders: readonly string[]): Promise<{ code: number; output: string }> {
	return run(process.execPath, [cruiser, "--config", configuration, "--output-type", "err", ...folders], { cwd: directory });
}

async function proveThatRulesBite(): Promise<string[]> {
	const directory = mkdtempSync(join(tmpdir(), "svc-boundaries-"));
	try {
		for (const [file, text] of [...violations.map(([, file, text]) => [file, text] as const), ...innocent]) {
			mkdirSync(dirname(join(directory, file)), { recursive: true });
			writeFileSync(join(directory, file), `${text}\n`);
		}
		writeFileSync(join(directory, configuration), readFileSync(configuration));
		writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
		const { output } = await cruise(directory, ["core", "plugins"]);
		const unseen = violations.filter(([rule, file]) => !output.includes(`${rule}: ${file}`));
		return [...unseen.map(([rule, file]) => `rule ${rule} does not see ${file}`), ...unproven()];
	} finally {
		rmSync(directory, { recursive: true });
	}
}

/** Rules that no file above breaks: they may have stopped to see anything. The homes of packages are made by one function. */
function unproven(): string[] {
	const { forbidden } = createRequire(import.meta.url)(resolve(configuration)) as { forbidden: readonly { readonly name: string }[] };
	const proven = new Set(violations.map(([rule]) => rule));
	return forbidden.flatMap(({ name }) =>
		proven.has(name) || name.startsWith("home-of-") ? [] : [`rule ${name} has no file that breaks it`],
	);
}

/** Problems found, each a line or more of text. */
export async function checkBoundaries(): Promise<string[]> {
	const blind = await proveThatRulesBite();
	if (blind.length > 0) return blind;
	const { code, output } = await cruise(".", ["core", "plugins", "plugins-auth", "plugins-runner"]);
	return code === 0 ? [] : [output.trim()];
}
