import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "uvu";
import { testRunner } from "../../core/testing/runner-suite.ts";
import { sendmail } from "./index.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-sendmail-"));
const binary = join(directory, "sendmail");
// The mail says how it is to end.
writeFileSync(
	binary,
	'#!/bin/sh\nmail=$(cat)\ncase $mail in *"Subject: fail"*) exit 3;; *"Subject: block"*) echo ready; sleep 600;; esac\n',
);
chmodSync(binary, 0o755);
const path = process.env["PATH"];
process.env["PATH"] = `${directory}:${path}`;
test.after(() => {
	process.env["PATH"] = path;
	rmSync(directory, { recursive: true });
});

const mail = (subject: string) => ({ runnerParameters: { to: "ann@example.com", subject, body: "b" } });
testRunner({
	patience: 30_000,
	test,
	name: "sendmail",
	create: () => sendmail(),
	cases: {
		succeeds: mail("s"),
		fails: mail("fail"),
		throws: { runnerParameters: { to: "|id", subject: "s", body: "b" } },
		blocks: mail("block"),
	},
});

test.run();
