import { type OptionDefinition, optionSections } from "../../core/contract/options.ts";
import { toVariableName } from "../../core/service/config/environment.ts";

/** Columns of a line of code. */
const longestLine = 140;

/**
 * `core/contract/options-input.ts`: what a configuration may say of the options, with a comment at each. Editors show comments of members
 * that are written down, and none of those that are derived from the definitions.
 */
export function toOptionsInput(): string {
	const sections = Object.entries(optionSections as Readonly<Record<string, Readonly<Record<string, OptionDefinition>>>>);
	return `${introduction}export interface OptionsInput extends FeatureOptionsInput {\n${sections.map(([name, options]) => toSection(name, options)).join("")}}\n`;
}

const introduction = `// Made by \`npm run docs:update\` from options.ts. Do not edit.
import type { FeatureOptionsInput, Options } from "./options.ts";

/** Options as a configuration may give them. Every option may be absent, and then has its default. */
`;

function toSection(section: string, options: Readonly<Record<string, OptionDefinition>>): string {
	const members = Object.entries(options).map(([name, definition]) => {
		const about = `Default \`${JSON.stringify(definition.default)}\`. \`${toVariableName(section, name)}\` takes precedence.`;
		const type = `Options["${section}"]["${name}"]`;
		return `${toComment([definition.description, about])}\t\treadonly ${name}?: ${type};\n`;
	});
	return `\treadonly ${section}?: {\n${members.join("")}\t};\n`;
}

function toComment(paragraphs: readonly string[]): string {
	const lines = paragraphs.flatMap((paragraph) => toLines(paragraph.replaceAll("*/", "*\\/")));
	return `\t\t/**\n${lines.map((line) => `\t\t * ${line}\n`).join("")}\t\t */\n`;
}

/** Words in as many lines as they need. */
function toLines(text: string): readonly string[] {
	const room = longestLine - "\t\t * ".length - 2;
	const lines: string[] = [];
	for (const word of text.split(" ")) {
		const last = lines.pop();
		if (last === undefined) lines.push(word);
		else if (last.length + 1 + word.length > room) lines.push(last, word);
		else lines.push(`${last} ${word}`);
	}
	return lines;
}
