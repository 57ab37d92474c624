/** A mechanism that is taken out on purpose, to see that tests notice it. */
export interface Mutant {
	/** What it is called on the command line: short words joined by hyphens. */
	readonly name: string;
	/** The promise that breaks without the mechanism, as a sentence. */
	readonly promise: string;
	/** The file that holds the mechanism. */
	readonly file: string;
	/** A piece of the file's text that occurs in it once. */
	readonly text: string;
	/** What stands in its place. */
	readonly replacement: string;
	/** Test files, of the short suite, each of which must fail. */
	readonly tests: readonly string[];
}

/** The file's text without the mechanism. Throws where the text occurs in it never, or more than once. */
export function takeOut({ name, file, text, replacement }: Mutant, source: string): string {
	const count = source.split(text).length - 1;
	if (count !== 1) throw new Error(`mutant ${name}: its text occurs ${count} times in ${file}; it must occur once:\n${text}`);
	return source.replace(text, () => replacement);
}
