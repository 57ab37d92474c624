/** Values of every JSON type but the given ones. */
export function otherTypes(types: readonly string[]): readonly unknown[] {
	const samples: Readonly<Record<string, unknown>> = {
		string: "text",
		integer: 7,
		number: 1.5,
		boolean: true,
		null: null,
		array: [1],
		object: { a: 1 },
	};
	const accepts = (type: string) => types.includes(type) || (type === "integer" && types.includes("number"));
	return Object.entries(samples).flatMap(([type, sample]) => (accepts(type) ? [] : [sample]));
}

/** Templates that reach for what is not theirs, or for more than there is. */
export const hostileTemplates: readonly string[] = [
	"{{ ''.constructor }}",
	"{{ text.__proto__ }}",
	"{{ ''.__class__.__mro__[1].__subclasses__() }}",
	"{{ {}.__proto__.polluted }}",
	"{{ 'x' * 1000000000 }}",
	"{{ [0] * 1000000000 }}",
	"{{ '%01000000000d' % 1 }}",
	"{{ 'x'.ljust(1000000000) }}",
	"{{ range(1000000000) | list }}",
	"{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
	`${"{{ (".repeat(2_000)}1${") }}".repeat(2_000)}`,
	`{{ ${"(".repeat(5_000)}1${")".repeat(5_000)} }}`,
	`{{ ${"-".repeat(20_000)}1 }}`,
];

/** Texts beyond the template language, which are no templates and stay as they are. */
export const inertTemplates: readonly string[] = [
	// Names that mean nothing: the text of a caller is kept as it is.
	"{{ self._TemplateReference__context }}",
	"{{ cycler.__init__.__globals__.os }}",
	"{{ constructor }}",
	"{{ __proto__ }}",
	"{{ ''['constructor']['constructor']('return process')() }}",
	"{{ [].constructor.constructor('return 1')() }}",
	"{{ ((x) => x)(1) }}",
	"{{ `${7*191}` }}",
	"{% include '/etc/passwd' %}",
	"{% import 'os' as os %}{{ os.nothing }}",
	"{% extends 'x' %}",
	"{% macro a() %}{% endmacro %}",
	"${7*191} <%= 7*191 %> #{7*191}",
];

/** Names of things that do not exist, as they stand in an address. */
export const hostileIds: readonly string[] = [
	"x",
	"__proto__",
	"constructor",
	"hasOwnProperty",
	"%00",
	"..%2F..%2Fetc%2Fpasswd",
	"%2e%2e%2f%2e%2e",
	"%252e%252e%252f",
	"..%5C..",
	"%zz",
	"%",
	"%c0%af",
	"%ed%a0%80",
	"%F0%9F%92%A9",
	"'%20OR%20'1'='1",
	"%22;%20DROP%20TABLE%20execution;--",
	"{{7*191}}",
	"%7B%7B%207*191%20%7D%7D",
	"0".repeat(24),
	"F".repeat(24),
	"-1",
	"NaN",
	"*",
	"a".repeat(8_000),
];

/** Paths below a prefix that lead nowhere. */
export const hostilePaths: readonly string[] = [
	"/../../etc/passwd",
	"/%2e%2e/%2e%2e/etc/passwd",
	"//user",
	"/user/..",
	"/executions/%2e%2e/user",
	"/%",
	"/%ff",
	"/.",
	"/user%00",
];

/** Texts for query parameters, by their type. */
export const hostileTexts: Readonly<Record<string, readonly string[]>> = {
	integer: [
		"-5",
		"1.5",
		"NaN",
		"Infinity",
		"1e3",
		"0x10",
		"99999999999999999999",
		"-99999999999999999999",
		"%00",
		"'",
		"1;DROP",
		"",
		"%20",
		"null",
	],
	boolean: ["maybe", "2", "%00", "'", "[]", ""],
	list: [
		"__proto__",
		"constructor",
		"'",
		"a,,b",
		"%00",
		"a.b.c.d.e",
		",",
		"%ff",
		"x".repeat(3_000),
		"a".repeat(10).concat(",a".repeat(500)),
	],
	string: [
		"'",
		"%22;DROP%20TABLE%20execution;--",
		"%00",
		"%ff",
		"%ed%a0%80",
		"__proto__",
		"..",
		"null",
		"x:y",
		"__proto__:x",
		"a..b",
		"9999-99-99T99:99:99Z",
		"{{7*191}}",
		"x".repeat(3_000),
	],
};

/** Bodies that are no JSON object, as bytes. */
export const brokenBodies: readonly (readonly [name: string, bytes: Uint8Array])[] = [
	["a word", "nonsense"],
	["half an object", '{"action": "core.local"'],
	["two objects", "{}{}"],
	["single quotes", "{'action': 'core.local'}"],
	["NaN", '{"delay": NaN}'],
	["a NUL", "\0"],
	["a list", "[1, 2]"],
	["a text", '"x"'],
	["a number", "7"],
	["true", "true"],
	["null", "null"],
	["deep lists", "[".repeat(10_000) + "]".repeat(10_000)],
	["deep objects", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
	["deep lists that never end", "[".repeat(10_000)],
].map(([name = "", text = ""]) => [name, Buffer.from(text)] as const);

/** Content types with a body that does not become an object of the right kind. */
export const wrongContents: readonly (readonly [contentType: string, body: string])[] = [
	["application/xml", "<action/>"],
	["text/html", "{}"],
	["application/octet-stream", "{}"],
	["multipart/form-data; boundary=x", '--x\r\ncontent-disposition: form-data; name="action"\r\n\r\ncore.local\r\n--x--\r\n'],
	["nonsense", "{}"],
	["application/json; charset=utf-16", "\ufeff{"],
];

/** JSON texts of objects with dangerous keys around and inside `member`. */
export function prototypeBodies(member: string): readonly string[] {
	const poison = '{"polluted": true, "isAdmin": true}';
	return [
		`{"__proto__": ${poison}}`,
		`{"constructor": {"prototype": ${poison}}}`,
		`{"${member}": {"__proto__": ${poison}, "constructor": {"prototype": ${poison}}, "prototype": ${poison}}}`,
		`{"${member}": {"a": {"b": {"__proto__": ${poison}, "c": [{"__proto__": ${poison}}]}}}}`,
	];
}
