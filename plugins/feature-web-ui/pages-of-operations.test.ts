// test-timeout: 600
// test-suite: full
import { test } from "uvu";
import "./pages/events-page.test-support.ts";
import "./pages/inquiries-page.test-support.ts";
import "./pages/log-follow.test-support.ts";
import "./pages/nodes-page.test-support.ts";
import "./pages/time-line.test-support.ts";
import "./pages/why-page.test-support.ts";
import "./pages/workflow-view.test-support.ts";
import { closeBrowser } from "../../core/testing/web/web.test-support.ts";

// One browser serves all of these: its start takes longer than most tests.
test.after(closeBrowser);

test.run();
