import { hostileTemplates } from "../../core/testing/http/hostile-values.test-support.ts";
import type { JsonTree } from "./json-tree.ts";

/** Regular expressions that take for ever on `longWord`. */
export const slowPatterns: readonly string[] = ["^(a+)+$", "(a|aa)+$", "^(a|a?)+$", "(.*a){25}$", "^(?=(a+))\\1*c$", "([a-zA-Z]+)*\\d$"];
/** And some that are none, or too large. */
export const hostilePatterns: readonly string[] = [
	...slowPatterns,
	"(",
	"[",
	"\\",
	"(?<=a+)+b",
	"a{2147483648}",
	"(?:a{0,1000}){0,1000}$",
	"\\p{L}+\\ud800",
];
export const longWord = `${"a".repeat(40)}b`;
/** They take some milliseconds on this one: no search is given up, and many of them add up. */
export const slowWord = `${"a".repeat(20)}b`;

/** Names that are something in the language, break lines, or turn the direction of what is read. */
export const hostileNames: readonly string[] = [
	"__proto__",
	"constructor",
	"prototype",
	"toString",
	"hasOwnProperty",
	"",
	" ",
	"\0",
	"\ud800",
	"a\r\nb",
	"\u001b[2J",
	"\u202egnp.exe",
	"\ufeff",
	"a.b",
	"a/b",
	"../../../fuzz",
	"%2e%2e%2f",
	"$ref",
	"$where",
	"{{ a }}",
	longWord,
	slowWord,
	"n".repeat(10_000),
];

/** Pieces of other languages. */
const fragments: readonly string[] = [
	"'; DROP TABLE executions; --",
	"' OR '1'='1",
	'"; ls /; "',
	"$(id) `id` | id && id",
	"*)(uid=*))(|(uid=*",
	"<script>alert(1)</script>",
	"%s%n%d",
	"9999-99-99T99:99:99Z",
	"-271821-04-20T00:00:00Z",
	"P1Y",
	"1e999",
	"NaN",
	"0x10",
	"https://127.0.0.1:1/",
	"file:///etc/passwd",
];

/** Values that members of every type may be given. */
export const hostileValues: readonly JsonTree[] = [
	null,
	true,
	0,
	-1,
	1.5,
	2 ** 31,
	2 ** 53,
	-(2 ** 63),
	1e308,
	{ raw: "-0" },
	{ raw: "1e999" },
	{ raw: "-1e999" },
	{ raw: "1e-999" },
	{ raw: "9".repeat(400) },
	[],
	{ fields: [] },
	[null],
	[[]],
	{ fields: [["a", { fields: [["a", null]] }]] },
	...hostileNames,
	...fragments,
	...hostilePatterns,
	...hostileTemplates.filter(({ length }) => length < 1_000),
	"{{ a }}".repeat(60),
	"x".repeat(100_000),
	{ raw: `[${"1,".repeat(20_000)}1]` },
	{ raw: `{${Array.from({ length: 2_000 }, (_, index) => `"k${index}":${index}`).join(",")}}` },
];

/** Deeper than what is taken, and just not. */
export const deepValues: readonly JsonTree[] = [100, 150, 190, 50_000].flatMap((depth) => [
	{ raw: "[".repeat(depth) + "]".repeat(depth) },
	{ raw: `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}` },
]);

/** Values of headers that Node lets a client send. */
export const hostileHeaders: readonly (readonly [name: string, value: string])[] = [
	...[
		"svc-context",
		"last-event-id",
		"svc-trace-tag",
		"x-request-id",
		"x-forwarded-for",
		"cookie",
		"origin",
		"range",
		"if-none-match",
	].flatMap((name) =>
		["'", "{", '{"__proto__":{"a":1}}', '{"trace_context":{"id_":[]}}', "-1", "\u00ff\u00fe", "a".repeat(6_000)].map(
			(value) => [name, value] as const,
		),
	),
	...["Bearer", "Bearer \u00ff", `Bearer ${"a".repeat(6_000)}`, "Basic !", "Basic OmE=", "Basic YQ==", "Digest a"].map(
		(value) => ["authorization", value] as const,
	),
	...["gzip", "br, gzip", "identity", "nonsense"].map((value) => ["content-encoding", value] as const),
	["host", "evil.example.org"],
	["host", "[::1"],
	["accept", "text/html"],
	["accept-encoding", "gzip, br;q=nonsense"],
	["expect", "nonsense"],
	["upgrade", "websocket"],
	["x-http-method-override", "DELETE"],
];

export const contentTypes: readonly string[] = [
	"application/json; charset=utf-16",
	'application/json; charset="',
	"application/merge-patch+json",
	"text/json; charset=latin1",
	"application/x-www-form-urlencoded",
	"multipart/form-data; boundary=x",
	"text/plain",
	"text/html",
	"application/json, text/plain",
	"nonsense",
	"",
];
