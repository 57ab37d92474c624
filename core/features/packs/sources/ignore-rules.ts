import ignore, { type Ignore } from "ignore";

/** The `.gitignore` files of a directory. A folder must be added before the folders below it, so that the rules of the inner file win. */
export class IgnoreRules {
	/** Undefined until a rule exists, because most packs have none. */
	#rules: Ignore | undefined;

	/** Adds the lines of the `.gitignore` in `folder`, which is the empty string for the root. */
	add(folder: string, content: string): void {
		const lines = content.replace(/^\uFEFF/, "").split(/\r?\n/);
		this.#rules ??= ignore({ ignorecase: false });
		this.#rules.add(lines.filter((line) => line.trim() !== "" && !line.startsWith("#")).map((line) => toRootRule(folder, line)));
	}

	/** Returns true if the rules ignore the path. */
	ignores(path: string, isDirectory: boolean): boolean {
		return this.#rules?.ignores(isDirectory ? `${path}/` : path) ?? false;
	}
}

/** Rewrites a rule of a folder for the root: a rule without a slash before its end applies at every depth below the folder. */
function toRootRule(folder: string, line: string): string {
	if (folder === "") return line;
	const [negation, rule] = line.startsWith("!") ? ["!", line.slice(1)] : ["", line];
	const isAnchored = /\/(?!\s*$)/.test(rule);
	const base = folder.replace(/[\\*?[\]!# ]/g, "\\$&");
	return `${negation}/${base}/${isAnchored ? rule.replace(/^\//, "") : `**/${rule}`}`;
}
