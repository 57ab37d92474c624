import { compareVersions, isInRange } from "../../../language/version-range.ts";

/** A branch or tag of a repository elsewhere. */
export interface RemoteRef {
	/** Whole, such as `refs/tags/v1.0.0`. */
	readonly ref: string;
	/** Such as `v1.0.0`. */
	readonly name: string;
	readonly commit: string;
	readonly isTag: boolean;
}

/** What `git ls-remote --symref` prints. */
export interface RemoteRefs {
	/** What is checked out where nobody says otherwise. */
	readonly head: { readonly branch: string | null; readonly commit: string } | undefined;
	readonly refs: ReadonlyMap<string, RemoteRef>;
}

const versionPattern = /^\d+(?:\.\d+){1,2}(?:[-+][\w.+-]*)?$/;
const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const startOfCommit = /^[0-9a-f]{7,64}$/;

export function parseRemoteRefs(text: string): RemoteRefs {
	const refs = new Map<string, RemoteRef>();
	let branch: string | null = null;
	let head: string | undefined;
	for (const line of text.split("\n")) {
		const [value = "", ref = ""] = line.split("\t");
		if (ref === "HEAD" && value.startsWith("ref: refs/heads/")) branch = value.slice("ref: refs/heads/".length);
		else if (!commitPattern.test(value)) continue;
		else if (ref === "HEAD") head = value;
		else addRef(refs, ref, value);
	}
	return { head: head === undefined ? undefined : { branch, commit: head }, refs };
}

/** A tag with a message is an object of its own; what it stands for follows it, marked by `^{}`. */
function addRef(refs: Map<string, RemoteRef>, ref: string, commit: string): void {
	const whole = ref.endsWith("^{}") ? ref.slice(0, -3) : ref;
	const match = /^refs\/(heads|tags)\/(.+)$/.exec(whole);
	if (match !== null) refs.set(whole, { ref: whole, name: match[2] ?? "", commit, isTag: match[1] === "tags" });
}

/** What a revision may be called there: a tag before a branch, and a version also with a `v` in front. */
export function refsOf(revision: string): readonly string[] {
	const tags = versionPattern.test(revision) ? [revision, `v${revision}`] : [revision];
	return [...tags.map((tag) => `refs/tags/${tag}`), `refs/heads/${revision}`];
}

export function isCommit(revision: string): boolean {
	return commitPattern.test(revision);
}

/** Whether it may be the first digits of a commit. */
export function isStartOfCommit(revision: string): boolean {
	return startOfCommit.test(revision);
}

/** The tag with the highest version of a range, or of all; those that come before a version (`2.0.0-rc.1`) count only against each other. */
export function newestVersion(refs: Iterable<RemoteRef>, range = "*"): RemoteRef | undefined {
	const tags = [...refs].filter(({ isTag, name }) => isTag && versionPattern.test(toVersion(name)) && isInRange(toVersion(name), range));
	const whole = tags.filter(({ name }) => !toVersion(name).includes("-"));
	return [...(whole.length > 0 ? whole : tags)].sort((a, b) => compareVersions(toVersion(a.name), toVersion(b.name))).at(-1);
}

/** `v1.2.0` is version 1.2.0. */
export function toVersion(tag: string): string {
	return tag.replace(/^v(?=\d)/, "");
}
