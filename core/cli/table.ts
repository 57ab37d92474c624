/** Rows as a bordered table no wider than `width`; long cells go on in further lines of their row. */
export function toTable(columns: readonly string[], rows: readonly (readonly string[])[], width: number): string {
	const widths = fit(
		columns.map((name, index) => Math.max(name.length, ...rows.map((row) => longestLine(row[index] ?? "")))),
		width - 3 * columns.length - 1,
	);
	const border = `+${widths.map((each) => "-".repeat(each + 2)).join("+")}+\n`;
	return [border, toLines(columns, widths), border, ...rows.map((row) => toLines(row, widths)), border].join("");
}

/** Take from the widest column until the sum fits; nothing gets narrower than a short word. */
function fit(widths: number[], available: number): number[] {
	const fitted = [...widths];
	for (;;) {
		const widest = Math.max(...fitted);
		const excess = fitted.reduce((sum, each) => sum + each, 0) - available;
		if (excess <= 0 || widest <= 8) return fitted;
		const others = fitted.filter((each) => each < widest);
		fitted[fitted.indexOf(widest)] = Math.max(8, widest - excess, Math.min(widest - 1, Math.max(8, ...others)));
	}
}

function toLines(cells: readonly string[], widths: readonly number[]): string {
	const wrapped = widths.map((width, index) => wrap(cells[index] ?? "", width));
	const height = Math.max(...wrapped.map((lines) => lines.length));
	return Array.from(
		{ length: height },
		(_, line) => `|${wrapped.map((lines, index) => ` ${(lines[line] ?? "").padEnd(widths[index] ?? 0)} `).join("|")}|\n`,
	).join("");
}

function wrap(text: string, width: number): string[] {
	return text.split("\n").flatMap((line) => line.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""]);
}

function longestLine(text: string): number {
	return Math.max(...text.split("\n").map((line) => line.length));
}
