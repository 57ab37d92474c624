export type IniSections = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Parses sections, keys and values of an INI file. Values are taken literally; `#` and `;` begin a comment at the start of a line. */
export function parseIni(text: string): IniSections {
	const sections: Record<string, Record<string, string>> = Object.create(null);
	let section = "";
	for (const line of text.split(/\r?\n/)) {
		const header = /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1];
		if (header !== undefined) section = header.trim();
		const [, key, value] = /^\s*([^#;=\s][^=]*?)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? [];
		if (header !== undefined || key === undefined || value === undefined) continue;
		sections[section] ??= Object.create(null) as Record<string, string>;
		const entries = sections[section];
		if (entries !== undefined) entries[key] = value;
	}
	return sections;
}

/** Returns the content with `key` of `section` set to `value`, or removed if `value` is undefined. The rest of the content is unchanged. */
export function setIniValue(text: string, section: string, key: string, value: string | undefined): string {
	const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
	const start = lines.findIndex((line) => line.trim() === `[${section}]`);
	if (start < 0) return value === undefined ? text : `${[...lines, `[${section}]`, `${key} = ${value}`].join("\n")}\n`;
	const next = lines.findIndex((line, index) => index > start && /^\s*\[/.test(line));
	const end = next < 0 ? lines.length : next;
	const body = lines.slice(start + 1, end).filter((line) => line.split(/[=:]/)[0]?.trim() !== key);
	const added = value === undefined ? [] : [`${key} = ${value}`];
	return `${[...lines.slice(0, start + 1), ...added, ...body, ...lines.slice(end)].join("\n")}\n`;
}
