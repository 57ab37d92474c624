import { readFileSync } from "node:fs";
import { type Node, parseSync } from "@swc/core";
import { findFiles } from "./find-files.ts";

/** A text that people read, and where it is. */
export interface Prose {
	readonly path: string;
	readonly line: number;
	readonly text: string;
}

/** Words and patterns that readers who know the field have to decode, each with what to write instead. */
const refused: readonly (readonly [pattern: RegExp, advice: string])[] = [
	[/\b(?:whoever|whosoever|whatever(?! (?:the|its|their|an?)\b))\b/i, "name the person or the thing"],
	[/\b(?:somebody|nobody|anybody)\b/i, "name the user, the client, the node or the runner"],
	[/\bof one's own\b/i, 'write "your own" or "custom"'],
	[/\b(?:is|are|was|were) to be \w+/i, 'write "must", "will" or the simple form'],
	[/(?<!\bthere )\b(?:is|are) no (?!longer\b|more\b|less\b)[a-z]+/i, 'write "is not a"'],
	[/\b(?:goes|going|go|went|gone) on\b/i, 'write "continue"'],
	[/\blet(?:s|ting)? go\b/i, 'write "release"'],
	[/\bat hand\b/i, 'write "available"'],
	[/\bshuts? (?:it |them |the service |the action )?in\b/i, 'write "sandbox"'],
	[/\bthe same of\b/i, "repeat the noun"],
	[/\b(?:is|are|was|were) (?:looked(?! up\b)|told|asked)\b/i, "name the actor and the operation: evaluate, publish, notify, request"],
	[
		/(?:(?:^|[;:.] |\b(?:of|by|in|with|from|to|than) )(?:what|who)|, what) (?:is|are|was|were|has|have|had)\b(?![^.?!]*\?)/i,
		"use a noun in place of the clause",
	],
	[/\b(?:is|are|was|were) (?:not |no longer |already )?there\b(?! (?:is|are))/i, 'write "exists"'],
	[/\bin the name of\b|\bin whose name\b/i, 'write "as the user" or "with the permissions of"'],
	[/\bno more than so many\b|\bso many at once\b/i, 'write "concurrency limit"'],
];

/** Words of a sentence that is reported as long. */
const longSentence = 30;

/** Returns a problem for each refused word in the documentation, in help texts, labels and messages. */
export function checkProse(): Promise<string[]> {
	return Promise.resolve(readProse().flatMap(findRefused));
}

/** Returns all texts that people read. */
export function readProse(): readonly Prose[] {
	const isPage = (file: string) => file.endsWith(".md");
	const isCode = (file: string) => /\.tsx?$/.test(file) && !/\.(?:test|test-support)\.tsx?$/.test(file);
	return [
		...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ...findFiles(["docs", "examples"], isPage)].flatMap((path) =>
			toParagraphs(path, readFileSync(path, "utf8")),
		),
		...findFiles(["core", "plugins", "plugins-auth", "plugins-runner", "examples"], isCode).flatMap((path) =>
			toStrings(path, readFileSync(path, "utf8")),
		),
	];
}

/** Returns the paragraphs, list items and table rows of a page, without code. */
export function toParagraphs(path: string, page: string): readonly Prose[] {
	const found: Prose[] = [];
	let isCode = false;
	let open: { line: number; text: string } | undefined;
	const close = () => {
		if (open !== undefined) found.push({ path, ...open });
		open = undefined;
	};
	for (const [index, line] of page.split("\n").entries()) {
		if (line.trimStart().startsWith("```")) isCode = !isCode;
		const isText = !isCode && line.trim() !== "" && !line.trimStart().startsWith("```");
		if (!isText || /^\s*(?:[-*] |\d+\. |\||#)/.test(line)) close();
		if (!isText) continue;
		const text = line
			.replace(/`[^`]*`/g, "`…`")
			.replace(/\]\([^)]*\)/g, "]")
			.trim();
		open = open === undefined ? { line: index + 1, text } : { line: open.line, text: `${open.text} ${text}` };
		if (line.startsWith("|") || line.startsWith("#")) close();
	}
	close();
	return found;
}

/** Returns the string and template literals of a source file, and the text of its elements, that are sentences or parts of them. */
export function toStrings(path: string, source: string): readonly Prose[] {
	const module = parseSync(source, { syntax: "typescript", tsx: path.endsWith(".tsx") });
	const bytes = Buffer.from(source);
	const start = module.span.start - findStart(bytes);
	const found: Prose[] = [];
	const visit = (value: unknown): void => {
		if (Array.isArray(value)) {
			for (const item of value) visit(item);
			return;
		}
		if (typeof value !== "object" || value === null) return;
		const node = value as Node & {
			readonly value?: unknown;
			readonly cooked?: unknown;
			readonly quasis?: unknown;
			readonly span?: { start: number };
		};
		if (node.type === "TemplateLiteral") {
			const parts = (node.quasis as readonly { readonly cooked?: string }[]).map(({ cooked = "" }) => cooked);
			add(parts.join("…"), node.span?.start ?? 0);
		} else if (node.type === "StringLiteral" || node.type === "JSXText") add(String(node.value), node.span?.start ?? 0);
		for (const member of Object.values(node)) visit(member);
	};
	const add = (text: string, at: number) => {
		if ((text.match(/[A-Za-z]{2,}/g)?.length ?? 0) < 3 || !text.includes(" ")) return;
		found.push({
			path,
			line: bytes
				.subarray(0, at - start)
				.toString()
				.split("\n").length,
			text: text.replace(/\s+/g, " ").trim(),
		});
	};
	visit(module.body);
	return found;
}

/** Returns the offset of the first character that is code: a module begins there, and not at a comment before it. */
function findStart(bytes: Buffer): number {
	const text = bytes.toString();
	const code = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n|$)|#![^\n]*\n)*/.exec(text)?.[0] ?? "";
	return Buffer.byteLength(code);
}

/** Returns a problem for each refused pattern in a text. */
export function findRefused({ path, line, text }: Prose): string[] {
	return refused.flatMap(([pattern, advice]) => {
		const [words] = pattern.exec(text) ?? [];
		return words === undefined ? [] : [`${path}:${line} "${words.trim()}": ${advice}`];
	});
}

/** Returns the sentences of a text that are longer than readers can follow. */
export function findLongSentences({ path, line, text }: Prose): string[] {
	const sentences = text.split(/(?<=[.;:?!])\s/);
	return sentences.flatMap((sentence) => {
		const words = sentence.match(/[A-Za-z][\w'’-]*/g)?.length ?? 0;
		return words > longSentence ? [`${path}:${line} has a sentence of ${words} words: ${sentence.slice(0, 60)}…`] : [];
	});
}
