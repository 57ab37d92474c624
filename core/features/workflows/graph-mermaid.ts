import { oneLine, type ShownGraph, toStates } from "./graph-text.ts";

/** How the tasks of a run look, by what has become of them. */
const looks: Readonly<Record<string, string>> = {
	succeeded: "fill:#d4f5d4,stroke:#2e7d32,color:#000",
	failed: "fill:#fbd5d5,stroke:#c62828,color:#000",
	active: "fill:#d5e5fb,stroke:#1565c0,color:#000",
	waiting: "fill:#fdf3cf,stroke:#b28704,color:#000",
};

const groups: ReadonlyMap<string, string> = new Map(
	Object.entries({
		succeeded: "succeeded",
		failed: "failed timeout canceled",
		active: "requested delayed running retrying",
		waiting: "pending pausing paused",
	}).flatMap(([group, states]) => states.split(" ").map((state): [string, string] => [state, group])),
);

/** The text of a diagram in Mermaid. */
export function toMermaid({ nodes, edges }: ShownGraph): string {
	// Names of tasks may be words of the language.
	const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
	const lines = ["flowchart TD"];
	const used = new Set<string>();
	for (const node of nodes) {
		const name = names.get(node.id) ?? "";
		const states = toStates(node);
		const label = [node.id, ...(node.action === null ? [] : [node.action]), ...(states === "" ? [] : [states])].map(toLabel).join("<br/>");
		const [open, close] = node.kind === "command" ? ["{{", "}}"] : node.is_start ? ["([", "])"] : ["[", "]"];
		lines.push(`    ${name}${open}"${label}"${close}`);
		const group = groups.get(node.tasks?.at(-1)?.status ?? "");
		if (group === undefined) continue;
		used.add(group);
		lines.push(`    class ${name} ${group}`);
	}
	for (const { from, to, when, taken = 0 } of edges) {
		const arrow = taken > 0 ? "==>" : "-->";
		lines.push(`    ${names.get(from)} ${arrow}${when === null ? "" : `|"${toLabel(when)}"|`} ${names.get(to)}`);
	}
	for (const group of used) lines.push(`    classDef ${group} ${looks[group]}`);
	return `${lines.join("\n")}\n`;
}

/** Everything that the language, or the page that it is shown on, could take for a sign of its own. */
function toLabel(text: string): string {
	return oneLine(text).replace(/[^\p{L}\p{N} .,:_/()=-]/gu, (sign) => `#${sign.codePointAt(0)};`);
}
