"""Reads a .riprap run file, as FORMAT.md describes it, with numpy and zlib alone.

    run = read("hourglass.riprap")
    run["header"]["radius"], run["header"]["about"]["name"]
    run["frames"][-1]["position"]       # bodies x 3, exact; "rotation" (x, y, z, w), "velocity"
                                        # and "spin" only where a body is turned or moves
    run["ending"]["contact_force"]      # the ending is None if the run was cut short
"""
import json, struct, zlib
import numpy as np

KEYS = ["body", "kind", "with", "pieces", "choice"]  # which contact it is

def unpack_words(stored, order, count, past):
    raw = np.frombuffer(zlib.decompress(stored), np.uint8)
    mask = np.unpackbits(raw[:(count + 7) // 8], count=count, bitorder="little").astype(bool)
    folded = raw[(count + 7) // 8:].reshape(8, mask.sum()).T.copy().view("<u8").ravel()
    words = np.zeros(count, np.uint64) if order == 0 else past[0].copy()
    if order == 2:
        words += past[0] - past[1]
    words[mask] += (folded >> np.uint64(1)) ^ (np.uint64(0) - (folded & np.uint64(1)))
    return words

def keys(table):
    rows = zip(*(np.atleast_2d(table["contact_" + name].T).T.tolist() for name in KEYS))
    seen, found = {}, []
    for row in map(str, rows):
        seen[row] = seen.get(row, 0) + 1
        found.append((row, seen[row]))
    return found

def same_contacts(table, past, name):
    """The words of the same contacts in the frame before, or zeros."""
    place = {key: k for k, key in enumerate(past["keys"])}
    rows = [place.get(key, -1) for key in keys(table)]
    return [np.append(part, np.uint64(0))[rows] for part in past[name][0].reshape(3, -1)]

def columns(payload, past):
    table, at = {}, 0
    while at < len(payload):
        name = payload[at + 1:at + 1 + payload[at]].decode()
        at += 1 + payload[at]
        kind, parts, encoding, rows, size = struct.unpack_from("<2sBBQQ", payload, at)
        dtype = "u1" if kind == b"t1" else "<" + kind.decode()
        stored, at = payload[at + 20:at + 20 + size], at + 20 + size
        stored = zlib.decompress(stored) if encoding == 1 else stored
        if encoding < 2:
            values = np.frombuffer(stored, dtype).reshape(rows, parts)
        else:
            if name == "contact_at" and "contact_body" not in table:
                table.update(past["contacts"])  # the same contacts as in the frame before
            last = past.get(name)
            if encoding == 5:  # as the column of the first side
                first = np.atleast_2d(table.get(name[:-len("_other")], np.zeros((rows, parts))))
                last, encoding = [np.ascontiguousarray(first.T).ravel().view("<u8")], 3
            elif name.startswith("contact_") and encoding > 2:
                last = [np.concatenate(same_contacts(table, past, name))] if last else [np.zeros(rows * parts, np.uint64)]
            words = unpack_words(stored, encoding - 2, rows * parts, last)
            past[name] = [words, *past.get(name, [])[:1]]
            values = words.view(dtype).reshape(parts, rows).T
        values = values[:, 0] if parts == 1 else values
        table[name] = bytes(values).decode() if kind == b"t1" else values
    for name in [name for name in past if name.startswith("contact_") and name not in table]:
        del past[name]
    if "contact_body" in table:
        past["contacts"] = {"contact_" + name: table["contact_" + name] for name in KEYS}
        past["keys"] = keys(table)
    return table

def read(path):
    data = open(path, "rb").read()
    if data[:8] != b"\x8aRIPRAP\n" or struct.unpack_from("<I", data, 8)[0] != 3:
        raise ValueError(f"{path} is not a riprap run file of version 3")
    run, past, at = {"header": None, "frames": [], "ending": None}, {}, 16
    while at + 20 <= len(data):
        tag, size, crc, head_crc = struct.unpack_from("<4sQII", data, at)
        payload = data[at + 20:at + 20 + size]
        if zlib.crc32(data[at:at + 16]) != head_crc or zlib.crc32(payload) != crc:
            break  # torn or damaged: what comes before is whole
        at += 20 + size
        if tag == b"HEAD":
            run["header"] = columns(payload, {})
            run["header"]["about"] = json.loads(run["header"]["about"])
        elif tag in (b"KEYF", b"FRAM"):
            past = {} if tag == b"KEYF" else past
            run["frames"].append(columns(payload, past))
        elif tag == b"DONE":
            run["ending"] = columns(payload, {})
    return run
