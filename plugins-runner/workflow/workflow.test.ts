import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { workflow } from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-workflow-"));
test.after(() => rmSync(directory, { recursive: true }));

const entryPoint = join(directory, "flow.yaml");
writeFileSync(
	entryPoint,
	`
version: 1.0
tasks:
  build:
    action: tests.build
    next:
      - when: <% succeeded() %>
        do: [left, right]
  left:
    action: tests.check
    next:
      - do: publish
  right:
    action: tests.check
    next:
      - do: publish
  publish:
    join: all
    action: tests.publish
`,
);

testRunner({
	test,
	name: "workflow",
	create: () => workflow(),
	cases: {
		succeeds: { entryPoint },
		fails: { entryPoint, onChild: ({ action_ref }) => ({ status: action_ref === "tests.build" ? "failed" : "succeeded" }) },
		startsChildren: { entryPoint },
	},
});

test.run();
