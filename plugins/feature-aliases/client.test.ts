import * as assert from "node:assert/strict";
import { test } from "uvu";
import { createClient } from "../_shipped/client.ts";
import { sweep, withAliasService } from "./aliases.test-support.ts";

const withoutNothing = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

test("the client gives the records of the reference as the requests do", () =>
	withAliasService(async (ask, service) => {
		const { aliases } = createClient({ apiUrl: service.urls.api, token: await service.signIn("root") });
		const page = await aliases.list({ pack: "disk" });
		const [listed] = page.items;
		assert.deepEqual([page.items, page.total], [(await ask("GET", "/actionalias?pack=disk")).body, 1]);
		const known = await aliases.get("disk.sweep");
		assert.deepEqual(listed, known);
		assert.deepEqual(Object.keys(known).sort(), [
			...[
				"ack",
				"action_ref",
				"author",
				"description",
				"enabled",
				"extra",
				"formats",
				"id",
				"immutable_parameters",
				"metadata_file",
				"name",
			],
			...["pack", "ref", "result", "uid"],
		]);
		assert.deepEqual(withoutNothing(await aliases.help({ limit: 1 })), {
			available: 2,
			helpstrings: [{ pack: "disk", display: "sweep <volume>", description: "Free space" }],
		});
		assert.deepEqual(await aliases.match("clean /data"), {
			actionalias: known,
			display: "sweep <volume>",
			representation: "clean {{ volume }}",
		});
		const request = { name: "sweep", format: "sweep {{ volume }}", command: "sweep /data", source_channel: "ops", user: "maria" };
		const { execution, message, ...rest } = await aliases.execute(request);
		assert.deepEqual([message, rest], [`Sweeping, id ${execution.id}`, { actionalias: known }]);
		const [started, ...others] = await aliases.matchAndExecute({ command: "sweep /data", source_channel: "ops" });
		assert.deepEqual([Object.keys(started ?? {}).sort(), others], [["actionalias", "execution", "message"], []]);
		assert.equal(started?.message, `Sweeping, id ${started?.execution.id}`);

		const made = await aliases.create({ name: "mop", action_ref: sweep.action_ref, formats: ["mop {{ volume }}"] });
		const shown = { pack: "default", ref: "default.mop", uid: "action_alias:default:mop", enabled: true, metadata_file: "" };
		assert.deepEqual({ ...made, ...shown }, made);
		assert.deepEqual(await aliases.update(made.id, { ...made, enabled: false }), { ...made, enabled: false });
		await aliases.remove("default.mop");
		await assert.rejects(aliases.get("default.mop"), { code: "SVC_NOT_FOUND" });
		await assert.rejects(aliases.matchAndExecute({ command: "mop /data", source_channel: "ops" }), {
			code: "SVC_INVALID",
			message: 'command: "mop /data" matches no action alias',
		});
	}));

test.run();
