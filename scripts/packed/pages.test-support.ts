import { readFileSync } from "node:fs";

/** What somebody does who does what a page says. */
export type Step =
	| { readonly kind: "write"; readonly file: string; readonly text: string }
	| { readonly kind: "type"; readonly commands: string }
	/** Its last line goes on until it is ended: what follows is typed in another terminal. */
	| { readonly kind: "start"; readonly commands: string };

const block = /^```(\w+)\n(.*?)^```$/gms;
/** Commands that go on, with variables in front. */
const serves = /^(?:[A-Z_]+=\S+ )*(?:(?:npx )?svc serve|npm start|node --import tsx server\.ts)$/;

/** The commands below a heading of a page, and the files that are named in front of their text, in the order of the page. */
export function readSteps(page: string, heading: string): Step[] {
	const text = readFileSync(page, "utf8");
	const begin = text.indexOf(`\n## ${heading}\n`);
	if (begin < 0) throw new Error(`${page} has no heading "${heading}"`);
	const end = text.indexOf("\n## ", begin + 1);
	const section = text.slice(begin, end < 0 ? undefined : end);
	const steps = [...section.matchAll(block)].flatMap(({ 1: language, 2: held = "", index }): Step[] => {
		if (language === "sh") return [toCommands(held)];
		const [, file] = /`([\w./-]+)`:\n\n$/.exec(section.slice(0, index)) ?? [];
		return file === undefined ? [] : [{ kind: "write", file, text: held }];
	});
	if (steps.length === 0) throw new Error(`${page} has no command and no file below "${heading}"`);
	return steps;
}

function toCommands(commands: string): Step {
	return { kind: serves.test(commands.trim().split("\n").at(-1) ?? "") ? "start" : "type", commands };
}
