import * as assert from "node:assert/strict";

interface Labelled {
	readonly label: string;
	readonly text: string;
}

/**
 * Asserts that no text holds any form of any secret. `secrets` maps the name of each secret to its forms. One pattern of all forms looks through
 * each text once; a search for one form after another takes eight times as long.
 */
export function assertAbsent(secrets: ReadonlyMap<string, readonly string[]>, seen: readonly Labelled[]): void {
	const all = [...secrets.values()].flat();
	assert.ok(all.length > 0 && all.every((form) => form !== ""), "there is something to look for");
	const pattern = new RegExp(all.map(toPattern).join("|"));
	for (const { label, text } of seen) {
		const match = pattern.exec(text);
		if (match === null) continue;
		const [name] = [...secrets].find(([, forms]) => forms.includes(match[0])) ?? [];
		assert.fail(`${name} ${JSON.stringify(match[0])} in ${label}: …${text.slice(Math.max(0, match.index - 300), match.index + 200)}`);
	}
}

function toPattern(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
