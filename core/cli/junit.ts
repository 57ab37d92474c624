/** A group of tests. */
export interface JunitSuite {
	readonly name: string;
	readonly cases: readonly JunitCase[];
	/** Remarks that the report contains as output of the group. */
	readonly remarks?: readonly string[];
}

export interface JunitCase {
	readonly name: string;
	readonly classname: string;
	readonly milliseconds: number;
	/** Reason of the failure. Undefined if the test passed. */
	readonly error?: string | undefined;
	/** Reason why the test was not run. */
	readonly skipped?: string | undefined;
}

/** Returns a report in JUnit XML, which continuous integration systems read. */
export function toJunit(suites: readonly JunitSuite[]): string {
	const lines = [
		'<?xml version="1.0" encoding="UTF-8"?>',
		`<testsuites${toCounts(suites.flatMap(({ cases }) => cases))}>`,
		...suites.flatMap(({ name, cases, remarks = [] }) => [
			`<testsuite${attributes({ name })}${toCounts(cases)}>`,
			...cases.map(toCase),
			...remarks.map((text) => `<system-out>${toXmlText(text)}</system-out>`),
			"</testsuite>",
		]),
		"</testsuites>",
	];
	return `${lines.join("\n")}\n`;
}

function toCounts(cases: readonly JunitCase[]): string {
	const failures = cases.filter(({ error }) => error !== undefined).length;
	const skipped = cases.filter((one) => one.skipped !== undefined).length;
	const time = toSeconds(cases.reduce((sum, { milliseconds }) => sum + milliseconds, 0));
	const counts = { tests: String(cases.length), failures: String(failures), ...(skipped > 0 && { skipped: String(skipped) }), time };
	return attributes(counts);
}

function toCase({ name, classname, milliseconds, error, skipped }: JunitCase): string {
	const head = `<testcase${attributes({ name, classname, time: toSeconds(milliseconds) })}`;
	if (skipped !== undefined) return `${head}><skipped${attributes({ message: skipped })}/></testcase>`;
	if (error === undefined) return `${head}/>`;
	return `${head}><failure${attributes({ message: error.split("\n", 1)[0] ?? "" })}>${toXmlText(error)}</failure></testcase>`;
}

function attributes(values: Readonly<Record<string, string>>): string {
	return Object.entries(values)
		.map(([name, value]) => ` ${name}="${toXmlText(value)}"`)
		.join("");
}

/** Characters that XML 1.0 does not allow, even if escaped: control characters and lone surrogates. */
const impossible = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function toXmlText(text: string): string {
	return (
		text
			.replace(impossible, "\ufffd")
			.replaceAll("&", "&amp;")
			.replaceAll("<", "&lt;")
			.replaceAll(">", "&gt;")
			.replaceAll('"', "&quot;")
			// XML parsers turn unescaped tabs and line ends in attributes into spaces.
			.replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)
	);
}

function toSeconds(milliseconds: number): string {
	return (milliseconds / 1_000).toFixed(3);
}
