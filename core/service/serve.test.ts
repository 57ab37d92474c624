import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withPlace } from "../testing/database/database.test-support.ts";

test("USR2 asks for a garbage collection, and the service goes on", () =>
	withPlace(async ({ serve }) => {
		const service = serve({ SVC_GARBAGECOLLECTOR_COLLECTION_INTERVAL: "86400" });
		await service.logged("engine started");
		for (const _ of ["once", "again"]) {
			const ended = service.logged("garbage collection asked for has ended");
			service.signal("SIGUSR2");
			await ended;
		}
		service.signal("SIGTERM");
		assert.equal(await service.exited, 0);
	}));

test.run();
