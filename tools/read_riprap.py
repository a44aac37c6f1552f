"""Reads a .riprap run file, as FORMAT.md describes it, with numpy and zlib alone.

    run = read("hourglass.riprap")
    run["header"]["radius"], run["header"]["about"]["name"]
    run["frames"][-1]["position"]       # bodies x 3, exact; "rotation" (x, y, z, w), "velocity"
                                        # and "spin" only where a body is turned or moves
    run["ending"]["contact_force"]      # the ending is None if the run was cut short
"""
import json, struct, zlib
import numpy as np

def unpack_words(stored, order, count, past):
    raw = np.frombuffer(zlib.decompress(stored), np.uint8)
    mask = np.unpackbits(raw[:(count + 7) // 8], count=count, bitorder="little").astype(bool)
    folded = raw[(count + 7) // 8:].reshape(8, mask.sum()).T.copy().view("<u8").ravel()
    words = np.zeros(count, np.uint64) if order == 0 else past[0].copy()
    if order == 2:
        words += past[0] - past[1]
    words[mask] += (folded >> np.uint64(1)) ^ (np.uint64(0) - (folded & np.uint64(1)))
    return words

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
            words = unpack_words(stored, encoding - 2, rows * parts, past.get(name))
            past[name] = [words, *past.get(name, [])[:1]]
            values = words.view(dtype).reshape(parts, rows).T
        values = values[:, 0] if parts == 1 else values
        table[name] = bytes(values).decode() if kind == b"t1" else values
    return table

def read(path):
    data = open(path, "rb").read()
    if data[:8] != b"\x8aRIPRAP\n" or struct.unpack_from("<I", data, 8)[0] != 2:
        raise ValueError(f"{path} is not a riprap run file of version 2")
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
