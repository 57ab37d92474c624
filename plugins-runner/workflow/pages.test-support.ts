import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ActionSignature, ParameterDefinitions } from "../../core/contract/index.ts";
import { corePack } from "../../core/features/packs/built-in/core-pack.ts";
import { mergeSchemas } from "../../core/language/parameters/merge-schemas.ts";
import { httpRequest } from "../http-request/index.ts";
import { inquirer } from "../inquirer/index.ts";
import { localCommand } from "../local-command/index.ts";
import { noop } from "../noop/index.ts";

/** A definition that a page shows. */
export interface PageExample {
	/** The page, and the line in it. */
	readonly name: string;
	readonly definition: string;
	/** What the block behind it says of it: findings as `svc workflow validate` prints them, or cases for `svc workflow test`. */
	readonly findings: string;
	readonly cases: string | undefined;
}

interface Block {
	readonly language: string;
	readonly text: string;
	readonly line: number;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

/** All pages that show a definition, with what they show. */
export function readPages(): ReadonlyMap<string, readonly PageExample[]> {
	const files = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
	const pages = files.sort().map((file) => {
		const page = `docs/${file}`;
		return [page, readExamples(page, readFileSync(root + page, "utf8"))] as const;
	});
	return new Map(pages.filter(([, examples]) => examples.length > 0));
}

function readExamples(page: string, text: string): readonly PageExample[] {
	const blocks = readBlocks(text);
	return blocks.flatMap((block, index): PageExample[] => {
		if (!isDefinition(block)) return [];
		const next = blocks[index + 1];
		return [
			{
				name: `${page}:${block.line}`,
				definition: block.text,
				findings: next?.language === "text" && /^\S+:\d+: \w+: /.test(next.text) ? next.text : "",
				cases: next?.language === "yaml" && next.text.startsWith("- name:") ? next.text : undefined,
			},
		];
	});
}

function readBlocks(text: string): readonly Block[] {
	return [...text.matchAll(/^```(\w+)\n([^]*?)^```/gm)].map(({ 1: language = "", 2: block = "", index }) => ({
		language,
		text: block,
		line: text.slice(0, index).split("\n").length,
	}));
}

function isDefinition({ language, text }: Block): boolean {
	return language === "yaml" && /^version:/.test(text) && /^tasks:$/m.test(text);
}

const runners: ReadonlyMap<string, ParameterDefinitions> = new Map(
	[localCommand(), httpRequest(), inquirer(), noop()].map((plugin) => [plugin.name, plugin.create().parameters as ParameterDefinitions]),
);

const text = { type: "string", required: true } as const;
/** What pages call besides the actions that every service has, with their parameters. */
const named: Readonly<Record<string, ParameterDefinitions>> = {
	"shop.greet": { name: text },
	"releases.build": { version: text },
	"releases.push": { file: text },
	"chat.post": { message: text },
};

/** The actions of the pack `core`, and those that pages have as examples. */
export async function findPageAction(ref: string): Promise<ActionSignature | undefined> {
	const action = corePack.actions.find((each) => each.ref === ref);
	const parameters = action === undefined ? named[ref] : mergeSchemas(runners.get(action.runner_type) ?? {}, action.parameters);
	return parameters && { ref, enabled: true, parameters };
}
