/** What is looked at before a version is packed. */
export interface ReleaseState {
	/** Of package.json. */
	readonly version: string;
	/** Of package-lock.json. */
	readonly lockVersion: string;
	readonly changelog: string;
	/** What `git status --porcelain` prints. */
	readonly changes: string;
	/** Tags there are. */
	readonly tags: readonly string[];
}

const dated = /^## (\S+) - (\d{4}-\d{2}-\d{2}|unreleased)$/;

/** Why the version cannot be released as things are; empty where it can. */
export function findReleaseProblems({ version, lockVersion, changelog, changes, tags }: ReleaseState): readonly string[] {
	const problems: string[] = [];
	if (changes.trim() !== "") problems.push(`there are changes that are not committed:\n${changes.trimEnd()}`);
	if (lockVersion !== version) problems.push(`package-lock.json says ${lockVersion}, package.json ${version}: npm install`);
	if (tags.includes(`v${version}`)) problems.push(`v${version} is there already: npm version`);
	const first = changelog.split("\n").find((line) => line.startsWith("## ")) ?? "";
	const [, named, date] = dated.exec(first) ?? [];
	if (named !== version) problems.push(`CHANGELOG.md begins with "${first}", must be "## ${version} - <date>"`);
	else if (date === "unreleased") problems.push(`CHANGELOG.md says that ${version} is unreleased: put the date there`);
	return problems;
}

/** What the changelog says of a version. */
export function toNotes(changelog: string, version: string): string {
	const lines = changelog.split("\n");
	const start = lines.findIndex((line) => line.startsWith(`## ${version} `));
	if (start === -1) throw new Error(`CHANGELOG.md says nothing of ${version}`);
	const length = lines.slice(start + 1).findIndex((line) => line.startsWith("## "));
	return `${lines
		.slice(start + 1, length === -1 ? undefined : start + 1 + length)
		.join("\n")
		.trim()}\n`;
}
