import { type ExportedName, type Read, readExports } from "./exports.ts";

/** A part of the package that programs import, and the file that says what it exports. */
export const entries = [
	{
		path: "svc-automation",
		file: "core/index.ts",
		purpose: "A service or an engine inside a program. It exports everything of `svc-automation/contract` too.",
	},
	{ path: "svc-automation/contract", file: "core/contract/index.ts", purpose: "What plugins and configurations are written against." },
	{ path: "svc-automation/testing", file: "core/testing/index.ts", purpose: "Conformance suites and stand-ins, for tests of plugins." },
	{ path: "svc-automation/client", file: "core/features/clients.ts", purpose: "The HTTP API in types." },
	{
		path: "svc-automation/feature",
		file: "core/feature.ts",
		purpose: "What features of your own are written against. Not frozen: a next version may ask something else.",
	},
	{
		path: "svc-automation/cli",
		file: "core/cli.ts",
		purpose: "What commands of features of your own are written against. Not frozen either; it loads no engine.",
	},
	{ path: "svc-automation/http", file: "core/service/create-http.ts", purpose: "The HTTP interface over an engine of your own." },
] as const;

/** Where `docs/reference/api.md` comes from, with what it needs and does not find. */
export interface ApiReference {
	readonly text: string;
	readonly problems: readonly string[];
}

/** `docs/reference/api.md`, made from doc comments so that the two cannot differ. */
export function toApiReference(read?: Read): ApiReference {
	const contract = new Set(readExports("core/contract/index.ts", read).map(({ name }) => name));
	const sections = entries.map((entry) => {
		const exported = readExports(entry.file, read).filter(({ name }) => entry.path !== "svc-automation" || !contract.has(name));
		return { ...entry, exported };
	});
	const all = sections.flatMap(({ path, exported }) => exported.map((one) => ({ ...one, path })));
	return {
		text: `${introduction}${sections.map((section) => `\n## \`${section.path}\`\n\n${section.purpose}\n\n${toTable(section.exported)}`).join("")}`,
		problems: all
			.filter(({ summary }) => summary === "")
			.map(({ name, file, path }) => `${file}: "${name}", which ${path} exports, has no doc comment; write a sentence above it`),
	};
}

const introduction = `# Exports

<!-- Made by \`npm run docs:update\` from doc comments. Do not edit. -->

What programs and plugins import from the package. The doc comments, which editors show, say more. Plugins are imported one by one, as in
\`svc-automation/plugins/storage-knex\`; their pages stand in the [documentation](../README.md).
`;

function toTable(exported: readonly ExportedName[]): string {
	const rows = exported.map(({ name, kind, summary }) => `| \`${name}\` | ${kind} | ${summary} |\n`);
	return `| Name | Kind | What it is |\n|---|---|---|\n${rows.join("")}`;
}
