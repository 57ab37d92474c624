import { compareVersions, isInRange } from "../../../core/feature.ts";

/** Branch or tag of a remote repository. */
export interface RemoteRef {
	/** Full name, such as `refs/tags/v1.0.0`. */
	readonly ref: string;
	/** Short name, such as `v1.0.0`. */
	readonly name: string;
	readonly commit: string;
	readonly isTag: boolean;
}

/** Output of `git ls-remote --symref`. */
export interface RemoteRefs {
	/** Default branch and its commit. `branch` is null if the server does not name it; undefined if the repository has no HEAD. */
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

/** Adds a ref. Git lists an annotated tag twice; the second line, which ends in `^{}`, contains its commit and replaces the first. */
function addRef(refs: Map<string, RemoteRef>, ref: string, commit: string): void {
	const whole = ref.endsWith("^{}") ? ref.slice(0, -3) : ref;
	const match = /^refs\/(heads|tags)\/(.+)$/.exec(whole);
	if (match !== null) refs.set(whole, { ref: whole, name: match[2] ?? "", commit, isTag: match[1] === "tags" });
}

/** Returns the full ref names that a revision may mean, by precedence: tags before branches. A version may also have the prefix `v`. */
export function refsOf(revision: string): readonly string[] {
	const tags = versionPattern.test(revision) ? [revision, `v${revision}`] : [revision];
	return [...tags.map((tag) => `refs/tags/${tag}`), `refs/heads/${revision}`];
}

export function isCommit(revision: string): boolean {
	return commitPattern.test(revision);
}

/** Returns true if the revision may be an abbreviated commit. */
export function isStartOfCommit(revision: string): boolean {
	return startOfCommit.test(revision);
}

/**
 * Returns the tag with the highest version in a range; by default, of all tags. Pre-releases such as `2.0.0-rc.1` are only considered if
 * there is no other version.
 */
export function newestVersion(refs: Iterable<RemoteRef>, range = "*"): RemoteRef | undefined {
	const tags = [...refs].filter(({ isTag, name }) => isTag && versionPattern.test(toVersion(name)) && isInRange(toVersion(name), range));
	const whole = tags.filter(({ name }) => !toVersion(name).includes("-"));
	return [...(whole.length > 0 ? whole : tags)].sort((a, b) => compareVersions(toVersion(a.name), toVersion(b.name))).at(-1);
}

/** Returns the version of a tag: `v1.2.0` becomes `1.2.0`. */
export function toVersion(tag: string): string {
	return tag.replace(/^v(?=\d)/, "");
}
