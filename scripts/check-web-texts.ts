import { readFileSync } from "node:fs";
import { parseSync } from "@swc/core";
import { findFiles } from "./find-files.ts";

const root = "plugins/feature-web-ui/web";
const catalogue = `${root}/texts/`;

/** Attributes and members whose values are shown. */
const shownNames = new Set([
	...["title", "label", "hint", "placeholder", "aria-label", "name", "step", "description"],
	...["action", "none", "refusal", "dismiss"],
]);

/** Functions whose arguments are shown. */
const sayingCalls = new Set(["say", "attempt", "Error", "SvcError"]);

/** Returns a problem for each text of the web page outside of the catalogue, and for each text of the catalogue that nothing uses. */
export function checkWebTexts(): string[] {
	const sources = findFiles([root], (file) => /(?<!\.test)\.tsx?$/.test(file)).map((file) => ({ file, text: readFileSync(file, "utf8") }));
	const pages = sources.filter(({ file }) => !file.startsWith(catalogue));
	const texts = sources.filter(({ file }) => file.startsWith(catalogue));
	return [...pages.flatMap(({ file, text }) => findLiteralTexts(file, text)), ...texts.flatMap((each) => findUnusedTexts(each, pages))];
}

/** Returns a problem for each text of two or more words that a source of the page shows and does not take from the catalogue. */
export function findLiteralTexts(file: string, text: string): string[] {
	// A program begins for the parser at its first token; this makes that the beginning of the text.
	const code = `;${text}`;
	const program = parseSync(code, { syntax: "typescript", tsx: true });
	const bytes = Buffer.from(code);
	const problems: string[] = [];
	const visit = (value: unknown, isShown: boolean): void => {
		if (Array.isArray(value)) for (const each of value) visit(each, isShown);
		if (typeof value !== "object" || value === null || Array.isArray(value)) return;
		const node = value as Node;
		const words = isShown || node.type === "JSXText" ? toWords(node) : undefined;
		if (words !== undefined && countWords(words) > 1) {
			const line = bytes
				.subarray(0, (node.span?.start ?? 0) - program.span.start)
				.toString("latin1")
				.split("\n").length;
			problems.push(`${file}:${line} shows "${words.trim().replace(/\s+/g, " ")}": the texts of the page are in ${catalogue}`);
		}
		for (const [name, child] of Object.entries(node)) visit(child, isShownIn(node, name, isShown));
	};
	visit(program.body, false);
	return problems;
}

interface Node {
	readonly type?: string;
	readonly span?: { readonly start: number };
	readonly [member: string]: unknown;
}

/** Returns true if the user sees what a member of a node yields. `isShown` is true if the user sees what the node itself yields. */
function isShownIn(node: Node, member: string, isShown: boolean): boolean {
	switch (node.type) {
		case "JSXElement":
		case "JSXFragment":
			return member === "children";
		case "JSXAttribute":
			return member === "value" && shownNames.has(toName(node["name"]));
		case "KeyValueProperty":
			return member === "value" && shownNames.has(toName(node["key"]));
		case "CallExpression":
		case "NewExpression":
			return member === "arguments" && sayingCalls.has(toName(node["callee"]));
		case "ConditionalExpression":
			return isShown && member !== "test";
		case "BinaryExpression":
			return isShown && /^(&&|\|\||\?\?|\+)$/.test(String(node["operator"]));
		case undefined:
		case "JSXExpressionContainer":
		case "ParenthesisExpression":
			return isShown;
		default:
			return false;
	}
}

/** Returns the name of an attribute, a member or a called function; of a method without its object. */
function toName(node: unknown): string {
	const { value, property, name, namespace } = node as Readonly<Record<string, { readonly value?: string } | string | undefined>>;
	if (namespace !== undefined) return `${toName(namespace)}:${toName(name)}`;
	return typeof value === "string" ? value : property === undefined ? "" : toName(property);
}

/** Returns the text of a literal, with `…` for each value in it, or undefined for other nodes. */
function toWords({ type, value, quasis }: Node): string | undefined {
	if (type === "JSXText" || type === "StringLiteral") return String(value);
	if (type !== "TemplateLiteral") return undefined;
	return (quasis as readonly { readonly cooked: string }[]).map(({ cooked }) => cooked).join("…");
}

/** Counts the words of a text. A value in it counts as a word if there is another one. */
function countWords(text: string): number {
	return /\p{L}/u.test(text) ? text.split(/\s+/).filter((word) => /[\p{L}…]/u.test(word)).length : 0;
}

interface Source {
	readonly file: string;
	readonly text: string;
}

/** Returns a problem for each text of a file of the catalogue that no source of the page uses. */
export function findUnusedTexts({ file, text }: Source, pages: readonly Source[]): string[] {
	const users = pages.flatMap((page) => {
		const [, alias] = new RegExp(`import \\* as (\\w+) from "[./]+/${file.slice(root.length + 1)}"`).exec(page.text) ?? [];
		return alias === undefined ? [] : [{ text: page.text, alias }];
	});
	const names = [...text.matchAll(/^export const (\w+)/gm)].flatMap(([, name]) => name ?? []);
	return names
		.filter((name) => !users.some((user) => new RegExp(`\\b${user.alias}\\.${name}\\b`).test(user.text)))
		.map((name) => `${file}: nothing uses "${name}"`);
}
