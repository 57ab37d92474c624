import type { ConformReport, ConformStatement } from "../context.ts";

/** The report in the XML that continuous integration reads. */
export function toJunit({ kind, name, statements, leftOut }: ConformReport): string {
	const failures = statements.filter(({ error }) => error !== undefined).length;
	const time = toSeconds(statements.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
	const counts = attributes({ tests: String(statements.length), failures: String(failures), time });
	const suite = attributes({ name: `${kind} ${name}` });
	const lines = [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites${counts}>`,
		`<testsuite${suite}${counts}>`,
		...statements.map((statement) => toCase(kind, statement)),
		...leftOut.map((text) => `<system-out>${toXmlText(`left out: ${text}`)}</system-out>`),
		"</testsuite>",
		"</testsuites>",
	];
	return `${lines.join("\n")}\n`;
}

function toCase(kind: string, { name, round, milliseconds, error }: ConformStatement): string {
	const head = `<testcase${attributes({ name: round === 1 ? name : `${name} (round ${round})`, classname: kind, time: toSeconds(milliseconds) })}`;
	if (error === undefined) return `${head}/>`;
	return `${head}><failure${attributes({ message: error.split("\n", 1)[0] ?? "" })}>${toXmlText(error)}</failure></testcase>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
	return Object.entries(values)
		.map(([name, value]) => ` ${name}="${toXmlText(value)}"`)
		.join("");
}

/** Characters that XML 1.0 cannot hold, not even escaped: control characters and halves of surrogate pairs. */
const impossible = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function toXmlText(text: string): string {
	return (
		text
			.replace(impossible, "\ufffd")
			.replaceAll("&", "&amp;")
			.replaceAll("<", "&lt;")
			.replaceAll(">", "&gt;")
			.replaceAll('"', "&quot;")
			// Readers turn those that are written as they are into spaces or newlines.
			.replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
	);
}

function toSeconds(milliseconds: number): string {
	return (milliseconds / 1_000).toFixed(3);
}
