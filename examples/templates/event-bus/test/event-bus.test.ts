import { testEventBus } from "svc-automation/testing";
import { test } from "uvu";
import { templateName } from "../src/event-bus.ts";

testEventBus({
	test,
	name: "template-name",
	create: async () => templateName().create(),
});

test.run();
