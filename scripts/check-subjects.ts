import { run } from "./run.ts";

/** Subjects of commits after this one follow the rules of CONTRIBUTING.md. */
const base = "c813d7eba3a9";
const maxSubjectLength = 72;

/** Returns a warning for each commit after the base whose subject breaks the rules; none without the history of the repository. */
export async function findSubjectWarnings(): Promise<string[]> {
	const { code, output } = await run("git", ["log", "--no-merges", "--format=%h %s", `${base}..HEAD`]);
	return code === 0 ? output.split("\n").flatMap(checkSubject) : [];
}

/** @param line abbreviated hash and subject of a commit */
export function checkSubject(line: string): string[] {
	const subject = line.slice(line.indexOf(" ") + 1);
	return [
		...(subject.length > maxSubjectLength ? [`${line}: ${subject.length} characters, at most ${maxSubjectLength}`] : []),
		...(line === "" || /^[\w@./, -]+: \S/.test(subject) ? [] : [`${line}: expected "area: what the commit does"`]),
	];
}
