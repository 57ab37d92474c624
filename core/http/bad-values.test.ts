// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { hostileTemplates, inertTemplates } from "../testing/http/hostile-values.test-support.ts";
import { createProbeTest, probe } from "../testing/http/probe.test-support.ts";
import type { WireRecord } from "../testing/http/service.test-support.ts";

const probeTest = createProbeTest();

probeTest(
	"templates that reach for what is not theirs are refused in every text, and nothing of them is evaluated",
	async ({ ask, check }) => {
		const send = (path: string, body: unknown, method = "POST") => ask(path, { method, body: JSON.stringify(body) });
		for (const template of hostileTemplates) {
			const label = template.slice(0, 80);
			for (const [member, value] of Object.entries({
				text: template,
				list: [template],
				map: { text: template },
				number: template,
				env: { a: template },
			})) {
				const parameters = { [member]: value };
				await check(send("/v1/executions", { action: "probes.probe", parameters }), {
					label: `${member} ${label}`,
					names: new RegExp(member),
				});
			}
			await check(send("/v1/executions", { action: template }), { label, refused: true });
			await check(send("/v1/executions", { action: "probes.probe", user: template, delay: 3_600_000 }), { label });
			await check(send("/v1/executions", { action: "probes.probe", context: { [template]: template }, delay: 3_600_000 }), { label });
			await check(
				send("/v1/executions", { action: "probes.probe", notify: { a: template }, callback: { a: template }, delay: 3_600_000 }),
				{ label },
			);
			await check(send("/v1/executions/last/re_run", { parameters: { text: template } }), { label, refused: true });
			await check(send("/v1/actions", { name: template, pack: "probes", runner_type: "local-shell-cmd" }), { label, names: /name/ });
			await check(send("/v1/actions", { name: "a", pack: template, runner_type: "local-shell-cmd" }), { label, names: /pack/ });
			await check(send("/v1/actions", { name: "a", pack: "probes", runner_type: template }), { label, names: /runner_type/ });
			await check(send("/v1/actions/probes.probe", { ...probe, description: template }, "PUT"), { label });
			const templated = { ...probe, name: "templated", pack: "probes", parameters: { text: { default: template } } };
			await check(send("/v1/actions", templated), { label });
			await check(send("/v1/executions", { action: "probes.templated" }), { label, refused: true });
			await ask("/v1/actions/probes.templated", { method: "DELETE" });
		}
	},
);

probeTest("a text that is no template of this language stays as it is", async ({ ask }) => {
	for (const text of inertTemplates) {
		const parameters = { text, list: [text], map: { text } };
		const response = await ask("/v1/executions", {
			method: "POST",
			body: JSON.stringify({ action: "probes.probe", parameters, delay: 3_600_000 }),
		});
		assert.deepEqual([response.status, ((await response.json()) as WireRecord)["parameters"]], [201, parameters]);
	}
});

probeTest("an action whose metadata file holds something else is cloned all the same", async ({ ask }) => {
	const send = (path: string, body: object) => ask(path, { method: "POST", body: JSON.stringify(body) });
	const data_files = ["notes.txt", "notes.yaml"].map((file_path) => ({ file_path, content: "just words" }));
	const action = {
		name: "odd",
		pack: "probes",
		runner_type: "local-shell-cmd",
		entry_point: "notes.txt",
		metadata_file: "actions/notes.yaml",
		data_files,
	};
	assert.equal((await send("/v1/actions", action)).status, 201);
	const cloned = await send("/v1/actions/probes.odd/clone", { dest_pack: "probes", dest_action: "even" });
	assert.deepEqual([cloned.status, ((await cloned.json()) as WireRecord)["metadata_file"]], [201, "actions/even.yaml"]);
	assert.equal(await (await ask("/v1/actions/views/entry_point/probes.even")).text(), "just words");
});

probeTest("values that no field can take are refused and named", async ({ ask, check }) => {
	const send = (path: string, body: string, method = "POST") => ask(path, { method, body });
	const action = (members: object) => JSON.stringify({ name: "a", pack: "probes", runner_type: "local-shell-cmd", ...members });
	const file = (file_path: string) => action({ data_files: [{ file_path, content: "x" }] });
	const deep = `${"[".repeat(150)}${"]".repeat(150)}`;
	const cases: readonly (readonly [path: string, body: string, names?: RegExp])[] = [
		...["-1", "1.5", "1e308", "9007199254740993", '"1"', "[]"].map(
			(delay) => ["/v1/executions", `{"action": "probes.probe", "delay": ${delay}}`, /delay/] as const,
		),
		["/v1/executions", '{"action": "\\ud800"}', /cannot be found/],
		["/v1/executions", '{"action": "probes.probe\\u0000"}', /cannot be found/],
		["/v1/executions", '{"action": "probes.probe", "parameters": {"text": "\\ud800 \\u0000"}}'],
		["/v1/executions", '{"action": "probes.probe", "parameters": {"\\ud800": 1}}', /unknown/],
		["/v1/executions", '{"action": "probes.probe", "parameters": {"__proto__": 1}}', /__proto__/],
		["/v1/executions", '{"action": "probes.probe", "parameters": {"constructor": 1}}', /constructor/],
		["/v1/executions", `{"action": "probes.probe", "parameters": {"list": ${deep}}}`, /list/],
		["/v1/executions", `{"action": "probes.probe", "context": {"a": ${deep}}}`],
		["/v1/executions", '{"action": "probes.probe", "context": {"trace_context": []}}'],
		["/v1/executions", '{"action": "probes.probe", "context": {"trace_context": {"id_": "\'"}}}', /trace/],
		["/v1/executions", '{"action": "probes.probe", "context": {"trace_context": {"trace_tag": {}}}}'],
		[
			"/v1/executions",
			'{"action": "probes.probe", "context": {"trace_context": {"trace_tag": null}}}',
			/trace_tag: must be a string, got null/,
		],
		["/v1/executions", '{"action": "probes.probe", "context": {"trace_context": {"id_": null, "trace_tag": null}}}', /trace_tag/],
		["/v1/executions", '{"action": "probes.probe", "context": {"parent": "x"}}'],
		["/v1/executions", '{"action": "probes.probe", "context": {"parent": {"execution_id": {}}}}'],
		["/v1/executions", '{"action": "probes.probe", "context": {"user": "root", "pack": {}, "__proto__": {"user": "x"}}}'],
		["/v1/executions", '{"action": "probes.probe", "user": "\\u0000\\ud800"}'],
		...["../../evil", "/tmp/evil", "a/../../evil", "..", ".", "", "a\\u0000b", "~/evil/../../.."].map(
			(path) => ["/v1/actions", file(JSON.parse(`"${path}"`) as string), /file_path/] as const,
		),
		["/v1/actions", action({ entry_point: "../../../etc/passwd" }), /entry_point/],
		["/v1/actions", action({ name: "../evil" }), /name/],
		["/v1/actions", action({ name: "" }), /name/],
		["/v1/actions", action({ name: "a".repeat(5_000) }), /name/],
		["/v1/actions", action({ pack: "core" }), /pack/],
		["/v1/actions", action({ pack: "__proto__" })],
		["/v1/actions", action({ metadata_file: "../../evil" }), /metadata_file/],
		["/v1/actions", action({ parameters: { "__proto__ ": {} } }), /parameter/],
		["/v1/actions", `{"name": "a", "runner_type": "local-shell-cmd", "parameters": {"__proto__": {"type": "string"}}}`, /__proto__/],
		["/v1/actions", `{"name": "a", "runner_type": "local-shell-cmd", "parameters": {"a": {"default": ${deep}}}}`, /default/],
		["/v1/actions", action({ parameters: { a: { pattern: "(" } } }), /pattern/],
		["/v1/actions/probes.probe/clone", '{"dest_pack": "../../evil", "dest_action": "a"}', /pack/],
		["/v1/actions/probes.probe/clone", '{"dest_pack": "probes", "dest_action": "../../evil"}', /name|dest_action/],
	];
	for (const [path, body, names] of cases)
		await check(send(path, body), { label: body.slice(0, 120), ...(names !== undefined && { names }) });
	const written = await ask("/v1/actions/views/entry_point/probes.probe");
	assert.equal(written.status, 404);
});

test.run();
